// FAISS from its own wheel, timed inside Python: this side sends rounds and reads microseconds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const python = fileURLToPath(new URL('../faiss/.venv/bin/python', import.meta.url));
const script = fileURLToPath(new URL('../faiss/search.py', import.meta.url));

/** `blas` forces the matrix product that FAISS otherwise takes from 20 queries on. */
export async function openFaiss({ vectors, queries, dimension, batch, limit }, blas) {
  if (!existsSync(python)) throw new Error('run bench/peers/faiss/setup first');
  const folder = mkdtempSync(join(tmpdir(), 'ontomem-faiss-'));
  writeFileSync(
    join(folder, 'vectors'),
    new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength),
  );
  const pool = Buffer.concat(
    queries.map((set) => new Uint8Array(set.buffer, set.byteOffset, set.byteLength)),
  );
  writeFileSync(join(folder, 'queries'), pool);
  const settings = [folder, dimension, batch, limit, blas ? 1 : 0].map(String);
  const child = spawn(python, [script, ...settings], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message) => {
    child.stdin.write(`${message}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('the Python side ended');
    return JSON.parse(value);
  };
  return {
    timeRound: (calls) => ask(`time ${calls}`),
    emptyCall: () => ask('empty'),
    first: () => ask('first'),
    close: async () => {
      child.stdin.end();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
