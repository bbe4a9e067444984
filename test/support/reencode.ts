// A process that re-encodes a store: reencode.js PATH NAME DIMENSION SEED
import { openMemory } from '../../src/memory/memory.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = '', name = '', dimension, seed] = process.argv.slice(2);
const encoder = new TinyEncoder({ name, dimension: Number(dimension), seed: Number(seed) });
await (await openMemory({ path, encoder, reencode: true })).close();
