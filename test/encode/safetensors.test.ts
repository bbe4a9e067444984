// The safetensors reader reads exactly what was written, and refuses what is damaged.

import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SafetensorsFile } from '../../src/encode/build/safetensors.js';
import { expectError } from './expecting.js';
import { safetensorsBytes, safetensorsOf, temporaryFolder } from './tiny-bert.js';

const folder = temporaryFolder('safetensors');

function fileOf(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function readOne(bytes: Buffer): Promise<Float32Array> {
  const file = await SafetensorsFile.open(fileOf('one.safetensors', bytes));
  try {
    return (await file.read('a')).data;
  } finally {
    await file.close();
  }
}

function halves(dtype: string, values: number[]): Buffer {
  const header = { a: { dtype, shape: [values.length], data_offsets: [0, values.length * 2] } };
  return safetensorsOf(header, Buffer.from(Uint16Array.from(values).buffer));
}

test('f32 tensors come back bit for bit with their shapes', async () => {
  const tensors = new Map([
    ['a', { shape: [2, 3], data: Float32Array.of(1, -2, 3.5, 1e-40, 7, Number.NEGATIVE_INFINITY) }],
    ['b', { shape: [1], data: Float32Array.of(0.1) }],
    ['scalar', { shape: [], data: Float32Array.of(42) }],
  ]);
  const file = await SafetensorsFile.open(fileOf('f32.safetensors', safetensorsBytes(tensors, 'F32')));
  assert.equal(file.names, ['a', 'b', 'scalar']);
  for (const [name, tensor] of tensors) assert.equal(await file.read(name), tensor);
  await file.close();
});

test('f16 is widened exactly: zero, subnormals, normals, infinity, NaN', async () => {
  const bits = [0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0x3555, 0x7bff, 0xfc00, 0x7e00];
  const expected = [
    ...[0, -0, 2 ** -24, -1023 * 2 ** -24, 2 ** -14, 1, 0.333251953125, 65504],
    ...[Number.NEGATIVE_INFINITY, Number.NaN],
  ];
  const actual = await readOne(halves('F16', bits));
  for (const [i, value] of expected.entries())
    assert.ok(Object.is(actual[i], value), `${bits[i]} -> ${actual[i]}`);
});

test('bf16 is widened exactly', async () => {
  const actual = await readOne(halves('BF16', [0x3f80, 0xc000, 0x0001, 0x7f80]));
  assert.equal([...actual], [1, -2, 2 ** -133, Number.POSITIVE_INFINITY]);
});

const whole = safetensorsBytes(new Map([['a', { shape: [4], data: new Float32Array(4) }]]), 'F32');
const entry = (dtype: string, shape: unknown, offsets: unknown): unknown => ({
  a: { dtype, shape, data_offsets: offsets },
});
const damagedFiles: Record<string, [bytes: Buffer, words: string]> = {
  'an empty file': [Buffer.alloc(0), '0 bytes long'],
  'a file cut in its header': [whole.subarray(0, 20), 'announces a header'],
  'a file cut in its data': [whole.subarray(0, whole.length - 1), 'where its header needs'],
  'a file with something after the data': [Buffer.concat([whole, Buffer.of(0)]), 'where its header needs'],
  'a header length beyond all memory': [Buffer.alloc(16, 0xff), 'announces a header'],
  'a header that is no JSON': [safetensorsOf({}, Buffer.alloc(0)).fill(0x21, 8), 'not a safetensors header'],
  'a header that is a list': [safetensorsOf([1], Buffer.alloc(0)), 'not a safetensors header'],
  'a shape that does not fit its bytes': [
    safetensorsOf(entry('F32', [5], [0, 16]), Buffer.alloc(16)),
    'takes 16 bytes where its shape needs 20',
  ],
  'a negative extent': [safetensorsOf(entry('F32', [-4], [0, 16]), Buffer.alloc(16)), 'not a safetensors'],
  'an unknown element type': [safetensorsOf(entry('F3', [4], [0, 16]), Buffer.alloc(16)), 'element type F3'],
  'whole numbers for weights': [safetensorsOf(entry('I32', [4], [0, 16]), Buffer.alloc(16)), 'holds I32'],
};
for (const [title, [bytes, words]] of Object.entries(damagedFiles)) {
  test(`${title} is refused, naming file and fault`, async () => {
    await expectError('ENCODER_INVALID', words, () => readOne(bytes));
    await expectError('ENCODER_INVALID', 'one.safetensors', () => readOne(bytes));
  });
}

test('a tensor of more than 2 GiB is refused before a byte of it is read', async () => {
  const huge = temporaryFolder('huge');
  for (const [dtype, width] of [
    ['F32', 4],
    ['F16', 2],
  ] as const) {
    const elements = 600_000_000;
    const header = Buffer.from(
      JSON.stringify({ a: { dtype, shape: [elements], data_offsets: [0, elements * width] } }),
    );
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    const path = join(huge, `${dtype}.safetensors`);
    writeFileSync(path, Buffer.concat([length, header]));
    // A file with a hole: as long as it says, without taking the room.
    truncateSync(path, 8 + header.length + elements * width);
    await expectError('ENCODER_INVALID', '2 GiB', async () => (await SafetensorsFile.open(path)).close());
  }
});

test.run();
