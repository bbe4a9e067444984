// Real ONNX encoders that are not part of the package: e5 and bge, and a cross-encoder that is no encoder.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { cosine, expectError, furthest, rowOf } from './expecting.js';

const besideTheRepository = fileURLToPath(new URL('../../../../shared', import.meta.url));
const models = join(process.env.ONTOMEM_SHARED ?? besideTheRepository, 'models');
const absent = new Set<string>();

/** Registers a test of a model; where the model is not there it is skipped, which is said once a model. */
function testWith(model: string, title: string, body: (folder: string) => Promise<void>): void {
  const folder = join(models, model);
  if (existsSync(folder)) {
    test(`${model}: ${title}`, () => body(folder));
    return;
  }
  if (!absent.has(model))
    console.log(`Skipping ${model}: set ONTOMEM_SHARED to a folder with models/${model}.`);
  absent.add(model);
  test.skip(`${model}: ${title}`, () => body(folder));
}

const settings = {
  'e5-small-v2': { pooling: 'mean', queryPrefix: 'query: ', passagePrefix: 'passage: ' },
  'bge-small-en-v1.5': {
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
    passagePrefix: '',
  },
} as const;

const passages = [
  'She adopted a puppy from the shelter last spring.',
  'The quarterly report is due on Friday.',
  'Tom: my knee still hurts after the marathon, so no running for a while',
  'ok',
];

for (const [model, expected] of Object.entries(settings)) {
  testWith(model, 'its family says how it is used, and its output how wide it is', async (folder) => {
    const encoder = await openEncoder(folder);
    await encoder.close();
    const { name, sha256, configSha256, maxTokens, precision, ...rest } = encoder.identity;
    assert.is(name, model);
    assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.match(configSha256, /^[0-9a-f]{64}$/);
    assert.equal([maxTokens, precision], [512, 'model']);
    assert.equal(rest, { dimension: 384, ...expected });
  });

  testWith(model, 'a question is nearer to its answer than to other texts', async (folder) => {
    const encoder = await openEncoder(folder);
    const query = await encoder.encode(['When did she get her dog?'], { role: 'query' });
    const { vectors } = await encoder.encode(passages, { role: 'passage' });
    await encoder.close();
    const [dog = 0, ...others] = passages.map((_, i) => cosine(query.vectors, rowOf(vectors, 384, i)));
    assert.ok(dog > Math.max(...others) + 0.02, `${dog} against ${others}`);
  });

  testWith(model, 'a text has one vector, whatever it is encoded with', async (folder) => {
    const encoder = await openEncoder(folder);
    const together = await encoder.encode(passages, { role: 'passage', tokenStates: true });
    for (const [i, passage] of passages.entries()) {
      const alone = await encoder.encode([passage], { role: 'passage', tokenStates: true });
      assert.ok(furthest(alone.vectors, rowOf(together.vectors, 384, i)) < 1e-6, passage);
      assert.is(together.tokenStates?.[i]?.length, alone.tokenStates?.[0]?.length);
    }
    await encoder.close();
  });

  testWith(model, 'a text of thousands of words is cut at 512 tokens', async (folder) => {
    const encoder = await openEncoder(folder);
    const { tokenStates } = await encoder.encode(['word '.repeat(4000)], {
      role: 'passage',
      tokenStates: true,
    });
    await encoder.close();
    assert.is(tokenStates?.[0]?.length, 512 * 384);
  });
}

testWith('ms-marco-MiniLM-L-12-v2', 'a cross-encoder is refused: it has no token states', async (folder) => {
  await expectError('ENCODER_INVALID', 'no token states', () => openEncoder(folder));
});

test.run();
