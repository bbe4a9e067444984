// A process that reads a store for as long as it is asked: counting-reader.js PATH, then lines `count`.
import { createInterface } from 'node:readline';
import { openMemory } from '../../src/memory/memory.js';
import { ADA } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = ''] = process.argv.slice(2);
const memory = await openMemory({ path, encoder: new TinyEncoder(), readOnly: true });
const count = async () => console.log((await memory.stats({ scope: ADA })).turns + (await others()));
const others = async () => (await memory.stats()).turns - (await memory.stats({ scope: ADA })).turns;
await count();
for await (const _ of createInterface({ input: process.stdin })) await count();
await memory.close();
