// The built graph computes what BERT computes, for every variant a configuration may ask for.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { furthest, rowOf } from './expecting.js';
import { referenceStates, referenceVector } from './reference-bert.js';
import { makeTinyModel, type TinyOptions, temporaryFolder, tinyVocabulary } from './tiny-bert.js';

process.env.ONTOMEM_CACHE = temporaryFolder('cache');

const tolerance = 1e-4;

/** Words of the tiny vocabulary, so that the expected ids need no tokenizer. */
const sentences = ['cat', 'the cat , the sofa .', 'bank : the bank ? the sofa ! the cat the cat', ''];

function idsOf(sentence: string): number[] {
  const words = sentence.split(' ').filter((word) => word !== '');
  return [2, ...words.map((word) => tinyVocabulary.indexOf(word)), 3];
}

const variants: Record<string, TinyOptions> = {
  'plain names, exact GELU': {},
  'names with "bert."': { prefix: 'bert.' },
  gelu_new: { config: { hidden_act: 'gelu_new' } },
  relu: { config: { hidden_act: 'relu' } },
  'half-precision weights': { elementType: 'F16' },
  'bfloat16 weights': { elementType: 'BF16' },
  'a large layer-norm epsilon': { config: { layer_norm_eps: 0.05 } },
  'one layer, one head, odd width': {
    config: { num_hidden_layers: 1, num_attention_heads: 1, hidden_size: 7 },
  },
  'RoBERTa positions': { prefix: 'roberta.', config: { model_type: 'roberta', pad_token_id: 1 } },
};

let seed = 10;
for (const [title, options] of Object.entries(variants)) {
  for (const pooling of ['mean', 'cls'] as const) {
    test(`${title}, ${pooling} pooling: token states and vectors match the plain forward pass`, async () => {
      const model = makeTinyModel(temporaryFolder('tiny'), { seed: seed++, ...options });
      const dimension = model.config.hidden_size;
      const encoder = await openEncoder(model.folder, { pooling });
      const encoding = await encoder.encode(sentences, { role: 'passage', tokenStates: true });
      await encoder.close();
      assert.is(encoder.identity.dimension, dimension);
      for (const [i, sentence] of sentences.entries()) {
        const expected = referenceStates(model, idsOf(sentence));
        const states = encoding.tokenStates?.[i] ?? new Float32Array();
        assert.ok(furthest(states, expected.flat()) < tolerance, `token states of "${sentence}"`);
        const vector = rowOf(encoding.vectors, dimension, i);
        assert.ok(
          furthest(vector, referenceVector(expected, pooling)) < tolerance,
          `vector of "${sentence}"`,
        );
      }
    });
  }
}

test('asking for vectors only gives the same vectors and no token states', async () => {
  const model = makeTinyModel(temporaryFolder('tiny'));
  const encoder = await openEncoder(model.folder);
  const lean = await encoder.encode(sentences, { role: 'passage' });
  const full = await encoder.encode(sentences, { role: 'passage', tokenStates: true });
  await encoder.close();
  assert.is(lean.tokenStates, undefined);
  assert.equal(lean.vectors, full.vectors);
});

test.run();
