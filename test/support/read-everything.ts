// A process that opens a store, reads all of it and says what it found: read-everything.js PATH [create]
import { openMemory } from '../../src/memory/memory.js';
import { ADA, turnsOf } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = '', mode] = process.argv.slice(2);
try {
  const memory = await openMemory({ path, encoder: new TinyEncoder(), readOnly: mode !== 'create' });
  const turns = await turnsOf(memory, ADA);
  await memory.recall({ scope: ADA, query: 'tea in the garden', limit: 1000 });
  console.log(`${turns.length} turns`);
  await memory.close();
} catch (error) {
  console.log(`${(error as { code?: string }).code} ${String(error)}`);
}
