// Opening: where settings come from, what is shared, and what is refused.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { openSession } from '../../src/encode/run/sessions.js';
import { expectError } from './expecting.js';
import { makeTinyModel, temporaryFolder, tinyVocabulary } from './tiny-bert.js';

const cache = temporaryFolder('cache');
process.env.ONTOMEM_CACHE = cache;

function folderNamed(name: string): string {
  const folder = join(temporaryFolder('named'), name);
  mkdirSync(folder);
  return folder;
}

async function identityOf(folder: string, options: Parameters<typeof openEncoder>[1] = {}) {
  const encoder = await openEncoder(folder, options);
  await encoder.close();
  return encoder.identity;
}

test('a bare folder is named after itself and pools by mean, without prefixes', async () => {
  const { folder } = makeTinyModel(folderNamed('my-model'));
  const { sha256, configSha256, ...rest } = await identityOf(folder);
  assert.equal(rest, {
    name: 'my-model',
    dimension: 24,
    pooling: 'mean',
    queryPrefix: '',
    passagePrefix: '',
    maxTokens: 64,
    precision: 'f32',
  });
  assert.match(configSha256, /^[0-9a-f]{64}$/);
  assert.match(sha256, /^[0-9a-f]{64}$/);
});

test('options come before the manifest, and the manifest before the family', async () => {
  const { folder } = makeTinyModel(folderNamed('tiny-e5-small'));
  const family = await identityOf(folder);
  assert.equal([family.pooling, family.queryPrefix, family.passagePrefix], ['mean', 'query: ', 'passage: ']);
  writeFileSync(
    join(folder, 'encoder.json'),
    JSON.stringify({ name: 'mine', pooling: 'cls', queryPrefix: 'q ' }),
  );
  const manifest = await identityOf(folder);
  assert.equal([manifest.name, manifest.pooling, manifest.queryPrefix], ['mine', 'cls', 'q ']);
  assert.is(manifest.passagePrefix, 'passage: ');
  const options = await identityOf(folder, { name: 'theirs', queryPrefix: '' });
  assert.equal([options.name, options.pooling, options.queryPrefix], ['theirs', 'cls', '']);
});

test('the files of a sentence-transformers folder are understood', async () => {
  const { folder } = makeTinyModel(folderNamed('st'));
  mkdirSync(join(folder, '1_Pooling'));
  const pooling = {
    pooling_mode_cls_token: true,
    pooling_mode_mean_tokens: false,
    word_embedding_dimension: 24,
  };
  writeFileSync(join(folder, '1_Pooling', 'config.json'), JSON.stringify(pooling));
  writeFileSync(join(folder, 'sentence_bert_config.json'), JSON.stringify({ max_seq_length: 6 }));
  const prompts = { prompts: { query: 'ask: ', document: 'text: ' } };
  writeFileSync(join(folder, 'config_sentence_transformers.json'), JSON.stringify(prompts));
  const encoder = await openEncoder(folder);
  const { tokenStates } = await encoder.encode(['a b c d e f g h'], { role: 'passage', tokenStates: true });
  await encoder.close();
  assert.equal(
    [encoder.identity.pooling, encoder.identity.queryPrefix, encoder.identity.passagePrefix],
    ['cls', 'ask: ', 'text: '],
  );
  assert.is(tokenStates?.[0]?.length, 6 * 24);
});

test('other weights or another pooling are another identity; the same folder is the same', async () => {
  const first = makeTinyModel(folderNamed('same'), { seed: 1 }).folder;
  const second = makeTinyModel(folderNamed('same'), { seed: 2 }).folder;
  assert.equal(await identityOf(first), await identityOf(first));
  assert.is.not((await identityOf(first)).sha256, (await identityOf(second)).sha256);
  assert.is((await identityOf(first, { pooling: 'cls' })).pooling, 'cls');
});

test('openers of one model share its session until the last one closes', async () => {
  const { folder } = makeTinyModel(folderNamed('shared'), { seed: 3 });
  const before = new Set(readdirSync(join(cache, 'models')));
  const [one, two] = await Promise.all([openEncoder(folder), openEncoder(folder, { queryPrefix: 'q ' })]);
  const built = readdirSync(join(cache, 'models')).find((file) => !before.has(file)) ?? '';
  const path = join(cache, 'models', built);
  // Whoever opens it now finds it in memory: the file need not be there any more.
  const kept = readFileSync(path);
  rmSync(path);
  (await openSession(path, undefined)).close();
  await one.close();
  await one.close();
  (await openSession(path, undefined)).close();
  assert.is((await two.encode(['cat'], { role: 'query' })).vectors.length, 24);
  await two.close();
  await expectError('ENCODER_INVALID', built, () => openSession(path, undefined));
  writeFileSync(path, kept);
});

test('closing waits for calls under way and refuses later ones', async () => {
  const { folder } = makeTinyModel(folderNamed('closing'));
  const encoder = await openEncoder(folder);
  const call = encoder.encode(
    Array.from({ length: 300 }, (_, i) => `the cat ${i}`),
    { role: 'passage' },
  );
  await encoder.close();
  assert.is((await call).vectors.length, 300 * 24);
  await expectError('ENCODER_CLOSED', 'closing', () => encoder.encode(['cat'], { role: 'query' }));
});

test('a cached model that was cut, altered or emptied is built again', async () => {
  const { folder } = makeTinyModel(folderNamed('cached'), { seed: 4 });
  const before = new Set(readdirSync(join(cache, 'models')));
  await identityOf(folder);
  const name = readdirSync(join(cache, 'models')).find((file) => !before.has(file)) ?? '';
  const path = join(cache, 'models', name);
  const whole = readFileSync(path);
  const flipped = Buffer.from(whole);
  // A bit inside a weight: the file would load and give other vectors.
  flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 1;
  const damages: Record<string, () => void> = {
    cut: () => truncateSync(path, whole.length - 100),
    altered: () => writeFileSync(path, flipped),
    emptied: () => truncateSync(path, 0),
    gone: () => rmSync(path),
  };
  for (const [title, damage] of Object.entries(damages)) {
    damage();
    await identityOf(folder);
    assert.ok(readFileSync(path).equals(whole), title);
  }
  const { mtimeMs } = statSync(path);
  await identityOf(folder);
  assert.is(statSync(path).mtimeMs, mtimeMs);
  assert.equal(
    readdirSync(join(cache, 'models')).filter((file) => file.endsWith('.tmp')),
    [],
  );
});

test('an altered config.json is another model', async () => {
  const { folder, config } = makeTinyModel(folderNamed('config'), { seed: 5 });
  const vectorOf = async (): Promise<Float32Array> => {
    const encoder = await openEncoder(folder);
    const { vectors } = await encoder.encode(['the cat'], { role: 'passage' });
    await encoder.close();
    return vectors;
  };
  const gelu = await vectorOf();
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, hidden_act: 'relu' }));
  assert.not.equal(await vectorOf(), gelu);
});

test('an unknown name is not found, and nothing is fetched for it', async () => {
  await expectError('ENCODER_NOT_FOUND', 'no-such-encoder', () => openEncoder('no-such-encoder'));
  await expectError('ENCODER_NOT_FOUND', 'owner/name', () => openEncoder('owner/name'));
});

test('bad options are refused, naming the key', async () => {
  await expectError('INVALID_ARGUMENT', 'maxTokens', () => openEncoder(undefined, { maxTokens: 0 }));
  await expectError('INVALID_ARGUMENT', 'threads', () => openEncoder(undefined, { threads: 1.5 }));
  const typo: object = { poolng: 'cls' };
  await expectError('INVALID_ARGUMENT', 'poolng', () => openEncoder(undefined, typo));
});

test('a cache folder that cannot be written is said so', async () => {
  const file = join(temporaryFolder('cache'), 'a-file');
  writeFileSync(file, '');
  process.env.ONTOMEM_CACHE = file;
  try {
    const { folder } = makeTinyModel(folderNamed('unwritable'));
    await expectError('STORE_UNWRITABLE', 'ONTOMEM_CACHE', () => openEncoder(folder));
  } finally {
    process.env.ONTOMEM_CACHE = cache;
  }
});

/** Each damages a good folder and says which file the error has to name. */
const damages: Record<string, [damage: (folder: string) => void, file: string, words: string]> = {
  'no weights': [(f) => rmSync(join(f, 'model.safetensors')), '', 'holds no model.onnx'],
  'no config.json': [(f) => rmSync(join(f, 'config.json')), '', 'without the config.json'],
  'no tokenizer': [(f) => rmSync(join(f, 'tokenizer.json')), 'tokenizer.json', 'is missing'],
  'weights cut in half': [
    (f) => truncateSync(join(f, 'model.safetensors'), statSync(join(f, 'model.safetensors')).size >> 1),
    'model.safetensors',
    'bytes long where',
  ],
  'weights of another network': [
    (f) => makeTinyModel(f, { prefix: 'vision.' }),
    'model.safetensors',
    'not a BERT-family',
  ],
  'a layer too few': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { num_hidden_layers: 3 })),
    'model.safetensors',
    'encoder.layer.2',
  ],
  'another width': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { intermediate_size: 41 })),
    'model.safetensors',
    'where [41, 24] is needed',
  ],
  'a thousand million layers': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { num_hidden_layers: 1e9 })),
    'config.json',
    'num_hidden_layers',
  ],
  'more layers than the file has': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { num_hidden_layers: 1000 })),
    'model.safetensors',
    'encoder.layer.2',
  ],
  'a width that would take 50 GB': [
    (f) =>
      writeFileSync(
        join(f, 'config.json'),
        edited(f, 'config.json', { hidden_size: 65_535, num_attention_heads: 3 }),
      ),
    'model.safetensors',
    'word_embeddings',
  ],
  'a vocabulary that the file does not have': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { vocab_size: 1e7 })),
    'model.safetensors',
    'word_embeddings',
  ],
  'no place for a token': [
    (f) =>
      writeFileSync(
        join(f, 'config.json'),
        edited(f, 'config.json', { model_type: 'roberta', pad_token_id: 70 }),
      ),
    'config.json',
    'max_position_embeddings',
  ],
  'a token id out of range': [
    (f) => {
      const tokenizer = JSON.parse(readFileSync(join(f, 'tokenizer.json'), 'utf8')) as {
        model: { vocab: Record<string, number> };
      };
      for (const token of Object.keys(tokenizer.model.vocab)) {
        if (!token.startsWith('[')) tokenizer.model.vocab[token] = 1e6;
      }
      writeFileSync(join(f, 'tokenizer.json'), JSON.stringify(tokenizer));
    },
    'tokenizer.json',
    'token id',
  ],
  'an unknown activation': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { hidden_act: 'swish' })),
    'config.json',
    'hidden_act "swish"',
  ],
  'another family': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { model_type: 't5' })),
    'config.json',
    'model_type "t5"',
  ],
  'relative positions': [
    (f) =>
      writeFileSync(
        join(f, 'config.json'),
        edited(f, 'config.json', { position_embedding_type: 'relative_key' }),
      ),
    'config.json',
    'relative_key',
  ],
  'heads that do not divide the width': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { num_attention_heads: 5 })),
    'config.json',
    'no multiple of 5',
  ],
  'a config.json that is no JSON': [(f) => writeFileSync(join(f, 'config.json'), '{'), 'config.json', 'JSON'],
  'a config.json without a width': [
    (f) => writeFileSync(join(f, 'config.json'), edited(f, 'config.json', { hidden_size: undefined })),
    'config.json',
    'hidden_size',
  ],
  'a tokenizer.json that is no JSON': [
    (f) => writeFileSync(join(f, 'tokenizer.json'), '{"version":'),
    'tokenizer.json',
    'JSON',
  ],
  'a tokenizer.json of something else': [
    (f) => writeFileSync(join(f, 'tokenizer.json'), '{"a": 1}'),
    'tokenizer.json',
    'model',
  ],
  'a tokenizer of an unknown kind': [
    (f) =>
      writeFileSync(join(f, 'tokenizer.json'), edited(f, 'tokenizer.json', { model: { type: 'Nonsense' } })),
    'tokenizer.json',
    'not a usable tokenizer',
  ],
  'a manifest with an unknown key': [
    (f) => writeFileSync(join(f, 'encoder.json'), '{"pooling": "mean", "dimensions": 24}'),
    'encoder.json',
    'dimensions',
  ],
  'a manifest with another pooling': [
    (f) => writeFileSync(join(f, 'encoder.json'), '{"pooling": "max"}'),
    'encoder.json',
    'pooling',
  ],
  'a manifest with another dimension': [
    (f) => writeFileSync(join(f, 'encoder.json'), '{"dimension": 25}'),
    'model.safetensors',
    '24 dimensions where the settings say 25',
  ],
  'a tokenizer of a larger vocabulary': [
    (f) => makeTinyModel(f, { config: { vocab_size: tinyVocabulary.length - 40 } }),
    'tokenizer.json',
    'token id',
  ],
  'an ONNX file that is none': [
    (f) => {
      rmSync(join(f, 'model.safetensors'));
      writeFileSync(join(f, 'model.onnx'), 'not a model');
    },
    'model.onnx',
    'cannot be loaded',
  ],
};

function edited(folder: string, file: string, changes: object): string {
  return JSON.stringify({ ...JSON.parse(readFileSync(join(folder, file), 'utf8')), ...changes });
}

for (const [title, [damage, file, words]] of Object.entries(damages)) {
  test(`${title}: ENCODER_INVALID that names the file`, async () => {
    const { folder } = makeTinyModel(folderNamed('damaged'), { seed: 6 });
    damage(folder);
    await expectError('ENCODER_INVALID', join(folder, file), () => openEncoder(folder));
    await expectError('ENCODER_INVALID', words, () => openEncoder(folder));
  });
}

test('where the C library is musl, the error says so and what to do', async () => {
  const { report } = process;
  const whole = report.getReport;
  // What Node reports on Alpine: no version of glibc.
  report.getReport = () => ({ header: {} });
  try {
    for (const words of ['onnxruntime-node: is built for glibc', 'Alpine', 'node:22-slim'])
      await expectError('ENCODER_INVALID', words, () => openSession('/no/such/model.onnx', undefined));
  } finally {
    report.getReport = whole;
  }
  await expectError('ENCODER_INVALID', '/no/such/model.onnx', () =>
    openSession('/no/such/model.onnx', undefined),
  );
});

test.run();
