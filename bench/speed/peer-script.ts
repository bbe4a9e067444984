// A benchmark command around a script of bench/peers, which has packages of its own and is not compiled.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command, OptionSpecs } from '../../src/cli/command.js';

export interface PeerScript {
  name: string;
  summary: string;
  example: string;
  /** File in bench/peers. */
  script: string;
  /** Options of the script, passed through by name. */
  options: OptionSpecs;
}

/** Runs the script with the same output streams; its exit code is the command's. */
export function peerScript({ name, summary, example, script, options }: PeerScript): Command {
  return {
    name: `bench ${name}`,
    words: '',
    summary,
    example,
    options,
    async run(invocation) {
      const given = Object.keys(options).flatMap((option) => {
        const value = invocation.text(option);
        return value === undefined ? [] : [`--${option}`, value];
      });
      const path = fileURLToPath(new URL(`../../../bench/peers/${script}`, import.meta.url));
      const flags = invocation.flag('json') ? ['--json'] : [];
      const child = spawn(process.execPath, [path, ...given, ...flags], { stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      process.exitCode = typeof code === 'number' ? code : 1;
    },
  };
}
