// A process that prints how it ranks turns of which many tie: rankings.js
import { ADA, openTiny } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const SAID = ['tea in the garden', 'a train to Lisbon', 'the violin lesson', 'bread with rye and tea'];
await using memory = await openTiny({ encoder: new TinyEncoder({ dimension: 384 }) });
for (let session = 0; session < 12; session++) {
  await memory.observe({
    scope: ADA,
    session: `s${session}`,
    turns: Array.from({ length: 20 }, (_, n) => ({
      id: `s${session}t${n}`,
      speaker: n % 2 === 0 ? 'Ada' : 'Bo',
      text: SAID[(n + (session % 3)) % SAID.length] ?? '',
      at: Date.UTC(2024, 0, 1 + session) + (n >> 1) * 60_000,
    })),
  });
}
const queries = ['tea', 'which train?', 'the violin and the bread', 'something about a lesson in Lisbon'];
for (const query of queries) {
  const { evidence } = await memory.recall({ scope: ADA, query, limit: 100 });
  console.log(JSON.stringify(evidence.map(({ turnId, score, at }) => [turnId, score, at])));
}
