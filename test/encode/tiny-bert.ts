// Makes small random BERT-family folders: config.json, a .safetensors file and a tokenizer.json.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestTensor {
  shape: number[];
  data: Float32Array;
}

export interface TinyConfig {
  model_type: string;
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  intermediate_size: number;
  max_position_embeddings: number;
  type_vocab_size: number;
  vocab_size: number;
  layer_norm_eps: number;
  hidden_act: string;
  pad_token_id: number;
}

export type ElementType = 'F32' | 'F16' | 'BF16';

export interface TinyModel {
  folder: string;
  config: TinyConfig;
  /** By name without prefix, at the precision they were stored with. */
  tensors: Map<string, TestTensor>;
}

export interface TinyOptions {
  config?: Partial<TinyConfig>;
  prefix?: string;
  elementType?: ElementType;
  seed?: number;
  /** Replaces generated values; called with the bare name. */
  fill?: (name: string) => number | undefined;
}

// One listener a folder: a test file may make dozens.
process.setMaxListeners(0);

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
export const tinyVocabulary = [
  ...['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '.', ',', ':', '?', '!', 'cat', 'sofa', 'bank', 'the'],
  ...letters,
  ...letters.map((letter) => `##${letter}`),
];

/** A new folder in the system's temporary folder; it goes when the process does. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ontomem-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Deterministic numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeTinyModel(folder: string, options: TinyOptions = {}): TinyModel {
  const config: TinyConfig = {
    model_type: 'bert',
    hidden_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 3,
    intermediate_size: 40,
    max_position_embeddings: 64,
    type_vocab_size: 2,
    vocab_size: tinyVocabulary.length,
    layer_norm_eps: 1e-12,
    hidden_act: 'gelu',
    pad_token_id: 0,
    ...options.config,
  };
  const elementType = options.elementType ?? 'F32';
  const tensors = new Map<string, TestTensor>();
  const random = randomNumbers(options.seed ?? 1);
  for (const [name, shape] of Object.entries(tensorShapes(config))) {
    const scale = name.endsWith('LayerNorm.weight') ? 1 : 0;
    const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () =>
      stored(options.fill?.(name) ?? scale + (random() - 0.5) * 0.8, elementType),
    );
    tensors.set(name, { shape, data });
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tinyTokenizer()));
  const named = new Map([...tensors].map(([name, tensor]) => [(options.prefix ?? '') + name, tensor]));
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(named, elementType));
  return { folder, config, tensors };
}

function tensorShapes(config: TinyConfig): Record<string, number[]> {
  const { hidden_size: hidden, intermediate_size: inner } = config;
  const shapes: Record<string, number[]> = {
    'embeddings.word_embeddings.weight': [config.vocab_size, hidden],
    'embeddings.position_embeddings.weight': [config.max_position_embeddings, hidden],
    'embeddings.token_type_embeddings.weight': [config.type_vocab_size, hidden],
    'embeddings.LayerNorm.weight': [hidden],
    'embeddings.LayerNorm.bias': [hidden],
  };
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const path = `encoder.layer.${layer}`;
    const linear = (name: string, outputs: number, inputs: number): void => {
      shapes[`${path}.${name}.weight`] = [outputs, inputs];
      shapes[`${path}.${name}.bias`] = [outputs];
    };
    for (const part of ['query', 'key', 'value']) linear(`attention.self.${part}`, hidden, hidden);
    linear('attention.output.dense', hidden, hidden);
    linear('intermediate.dense', inner, hidden);
    linear('output.dense', hidden, inner);
    for (const norm of ['attention.output.LayerNorm', 'output.LayerNorm']) {
      shapes[`${path}.${norm}.weight`] = [hidden];
      shapes[`${path}.${norm}.bias`] = [hidden];
    }
  }
  return shapes;
}

/** The value that survives being stored: truncated to the type's fraction bits (all values here are normal). */
function stored(value: number, elementType: ElementType): number {
  if (elementType === 'F32') return Math.fround(value);
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  const dropped = elementType === 'F16' ? 13 : 16;
  bits[0] = ((bits[0] ?? 0) >>> dropped) << dropped;
  const kept = new Float32Array(bits.buffer)[0] ?? 0;
  return elementType === 'F16' && Math.abs(kept) < 2 ** -14 ? 0 : kept;
}

/** Writes the safetensors format: header length, JSON header, tensors. */
export function safetensorsBytes(tensors: ReadonlyMap<string, TestTensor>, elementType: ElementType): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts: Buffer[] = [];
  let at = 0;
  for (const [name, { shape, data }] of tensors) {
    const bytes = elementBytes(data, elementType);
    header[name] = { dtype: elementType, shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  return safetensorsOf(header, Buffer.concat(parts));
}

export function safetensorsOf(header: unknown, data: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, data]);
}

function elementBytes(data: Float32Array, elementType: ElementType): Buffer {
  if (elementType === 'F32') return Buffer.from(data.slice().buffer);
  const halves = Uint16Array.from(data, (value) => {
    const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
    if (elementType === 'BF16') return bits >>> 16;
    const sign = (bits >>> 16) & 0x8000;
    const exponent = ((bits >>> 23) & 0xff) - 112;
    return value === 0 ? sign : sign | (exponent << 10) | ((bits >>> 13) & 0x3ff);
  });
  return Buffer.from(halves.buffer);
}

function tinyTokenizer(): unknown {
  const special = (id: number): unknown => ({
    id,
    content: tinyVocabulary[id],
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const marker = (content: string) => ({ SpecialToken: { id: content, type_id: 0 } });
  return {
    version: '1.0',
    // Asked for here so that a test can show that batches, not the tokenizer, pad and cut.
    truncation: { max_length: 8, strategy: 'LongestFirst', stride: 0 },
    padding: { strategy: { Fixed: 128 }, direction: 'Right', pad_id: 0, pad_type_id: 0, pad_token: '[PAD]' },
    added_tokens: [0, 1, 2, 3, 4].map(special),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [marker('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, marker('[SEP]')],
      pair: [marker('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, marker('[SEP]')],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tinyVocabulary.map((token, id) => [token, id])),
    },
  };
}
