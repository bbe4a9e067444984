// Encoding talks to nobody and writes nothing outside the cache folder: judged by the system calls.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('telemetry');
const CALLS = 'trace=socket,connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat';
const INTERNET = /AF_INET6?\b/;
const WRITES = /\b(?:open|openat|creat|mkdir|mkdirat)\(.*"(?<path>[^"]+)".*(?:O_CREAT|mkdir|creat)/;

/** What strace saw of a program that encodes one text; undefined where strace cannot run. */
async function traced(args: readonly string[]): Promise<{ calls: string[]; cache: string } | undefined> {
  const folder = temporaryFolder('telemetry');
  const [home, cache, temporary, log] = ['home', 'cache', 'tmp', 'log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await run('mkdir', [home, cache, temporary]);
  const program = fileURLToPath(new URL('../support/encode-once.js', import.meta.url));
  const unset = ['ORT_DISABLE_TELEMETRY', 'XDG_CACHE_HOME'].flatMap((name) => ['-u', name]);
  const tracing = ['strace', '-f', '-e', CALLS, '-o', log, process.execPath, program, ...args];
  const finished = await run('env', [...unset, ...tracing], {
    env: { HOME: home, TMPDIR: temporary, ONTOMEM_CACHE: cache },
  });
  if (/PTRACE|No such file/i.test(finished.stderr)) return undefined;
  assert.is(finished.code, 0, finished.stderr);
  assert.equal(readdirSync(home), [], 'nothing lies in the home folder');
  assert.equal(readdirSync(temporary), [], 'nothing lies in the temporary folder');
  return { calls: readFileSync(log, 'utf8').split('\n'), cache };
}

for (const thread of ['main', 'worker']) {
  test(`onnxruntime opens no socket and writes nothing in a ${thread} thread`, async () => {
    const seen = await traced([thread]);
    if (seen === undefined) {
      console.log('skipped: strace is not there or may not trace');
      return;
    }
    assert.ok(
      seen.calls.some((call) => call.includes('libonnxruntime')),
      'the trace sees the library being loaded',
    );
    assert.equal(
      seen.calls.filter((call) => INTERNET.test(call)),
      [],
    );
    const written = seen.calls.flatMap((call) => WRITES.exec(call)?.groups?.path ?? []);
    assert.ok(written.length > 0, 'the trace sees the model being cached');
    assert.equal(
      written.filter(
        (path) => !path.startsWith(seen.cache) && !path.startsWith('/dev/') && !path.startsWith('/proc/'),
      ),
      [],
    );
  });
}

test.run();
