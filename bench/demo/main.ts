// The demo: a conversation of several months goes in, questions about it are answered with reasons.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printRecall } from '../../src/cli/commands/recall.js';
import { print } from '../../src/cli/output.js';
import { type Memory, openMemory } from '../../src/index.js';
import { readLocomo } from '../../src/ingest/sources/locomo.js';
import { openSource, readJsonFile } from '../../src/ingest/sources/read-source.js';
import { DEMO_QUESTIONS } from './questions.js';

const CONVERSATION = fileURLToPath(new URL('../../../bench/demo/conversation.jsonl', import.meta.url));
const SCOPE = { tenant: 'demo', user: 'ines' };
const EVIDENCE_SHOWN = 5;
const LOCOMO_QUESTIONS_SHOWN = 20;

const { values } = parseArgs({
  options: { locomo: { type: 'string' }, encoder: { type: 'string' }, all: { type: 'boolean' } },
});
const path = mkdtempSync(join(tmpdir(), 'ontomem-demo-'));
const memory = await openMemory({
  path,
  ...(values.encoder === undefined ? {} : { encoder: values.encoder }),
});
try {
  if (values.locomo === undefined) await ownConversation(memory);
  else await locomo(memory, values.locomo, values.all === true);
} finally {
  await memory.close();
  rmSync(path, { recursive: true, force: true });
}

async function ownConversation(memory: Memory): Promise<void> {
  await ingest(memory, CONVERSATION);
  for (const kind of ['implicit', 'explicit'] as const) {
    print(
      `\n${kind === 'implicit' ? 'Implicit: the answer is in memory, its words are not in the question' : 'Explicit'}\n`,
    );
    for (const { text, gold } of DEMO_QUESTIONS.filter((question) => question.kind === kind)) {
      const answer = await memory.recall({ scope: SCOPE, query: text, limit: EVIDENCE_SHOWN, explain: true });
      printRecall(text, answer);
      const place = answer.evidence.findIndex(({ turnId }) => gold.includes(turnId));
      print(
        `  -> ${place < 0 ? `not among the first ${EVIDENCE_SHOWN}` : `answered at place ${place + 1}`}\n`,
      );
    }
  }
}

async function locomo(memory: Memory, file: string, all: boolean): Promise<void> {
  await ingest(memory, file);
  const score = { hits: 0, asked: 0 };
  for (const conversation of readLocomo(readJsonFile(file), file)) {
    const questions = conversation.questions.filter(
      ({ evidence, category }) => evidence.length > 0 && category !== 5,
    );
    for (const { text, evidence } of questions.slice(0, all ? questions.length : LOCOMO_QUESTIONS_SHOWN)) {
      const answer = await memory.recall({
        scope: { tenant: SCOPE.tenant, user: conversation.id },
        query: text,
      });
      const hit = answer.evidence.some(({ turnId }) => evidence.includes(turnId));
      score.asked++;
      if (hit) score.hits++;
      const [top] = answer.evidence;
      print(`${hit ? 'hit ' : 'miss'}  ${text}`);
      if (top !== undefined)
        print(`      ${top.score.toFixed(2)} ${top.turnId} ${top.speaker}: ${top.text.slice(0, 90)}`);
    }
  }
  print(`\n${score.hits} of ${score.asked} questions have evidence among the first 10`);
}

async function ingest(memory: Memory, file: string): Promise<void> {
  const source = await openSource(file, { scope: SCOPE, session: 'default' });
  const started = performance.now();
  for await (const { scope, session, turns } of source.batches())
    await memory.observe({ scope, session, turns });
  const seconds = (performance.now() - started) / 1000;
  print(
    `${source.turns} turns remembered in ${seconds.toFixed(1)} s (${Math.round(source.turns / seconds)} turns/s)`,
  );
}
