// npm run -s soak -- --minutes N [--json]: the mixed attack on a store; exit code 1 when anything went wrong.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mixedAttack, wentWrong } from './attack/mixed.js';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, json: { type: 'boolean' } } });
const minutes = Number(values.minutes ?? '1');
if (!(minutes > 0)) {
  console.error('soak: --minutes takes a number above 0');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'ontomem-soak-'));
const result = await mixedAttack(folder, minutes * 60_000);
rmSync(folder, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify({ minutes, ...result }));
else {
  for (const [name, count] of Object.entries(result)) {
    if (typeof count === 'number') console.log(`${name.padEnd(14)}${count}`);
  }
  for (const line of [...result.details, ...result.skipped]) console.log(`- ${line}`);
}
process.exit(wentWrong(result) ? 1 : 0);
