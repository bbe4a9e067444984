// The mixed attack in short; `npm run soak -- --minutes N` is the long one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/temporary-folder.js';
import { mixedAttack } from './attack/mixed.js';

const test = suite('attack');
const MILLISECONDS = 24_000;

test('nothing acknowledged is lost, nothing wrong is served, nothing raw is thrown', async () => {
  const { acknowledged, calls, losses, wrong, raw, details, skipped } = await mixedAttack(
    temporaryFolder('attack'),
    MILLISECONDS,
  );
  for (const sentence of skipped) console.log(`skipped: ${sentence}`);
  assert.equal({ losses, wrong, raw }, { losses: 0, wrong: 0, raw: 0 }, details.join('\n'));
  assert.ok(calls > 100 && acknowledged > 0, `only ${calls} calls and ${acknowledged} acknowledgements`);
});

test.run();
