// The command line: what every command prints, takes from stdin, and ends with.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTinyModel } from '../encode/tiny-bert.js';
import { present } from '../support/expecting.js';
import { CLI, type Finished, run, runCli } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('commands');
const folder = temporaryFolder('cli');
const model = join(folder, 'tiny-bert');
mkdirSync(model);
makeTinyModel(model);
const env = {
  ONTOMEM_STORE: join(folder, 'store'),
  ONTOMEM_ENCODER: model,
  ONTOMEM_CACHE: join(folder, 'cache'),
};

const cli = (args: readonly string[], input?: string): Promise<Finished> =>
  runCli(args, input === undefined ? { env } : { env, input });

async function succeeds(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await cli(args, input);
  assert.is(code, 0, `${args.join(' ')}: ${stderr}`);
  assert.is(stderr, '', 'no progress when stderr is no terminal');
  return stdout;
}

async function fails(code: 1 | 2, args: readonly string[], input?: string): Promise<string> {
  const { code: found, stdout, stderr } = await cli(args, input);
  assert.is(found, code, `${args.join(' ')}: ${stderr}`);
  assert.match(stderr, /^ontomem: /);
  assert.not.match(stderr, /\n\s+at /, 'no stack trace');
  assert.is(stderr.trim().split('\n').length, 1, 'one sentence');
  assert.is(stdout, '');
  return stderr;
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const json = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const jsonl = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const CHAT = 'Ada: the cat sat on the sofa\nBo: the bank was shut\n[2024-03-02] Ada: a cat, a sofa\n';

const COMMANDS = [
  ['ingest'],
  ['recall'],
  ['turns'],
  ['forget'],
  ['export'],
  ['import'],
  ['stats'],
  ['reencode'],
  ['encoder', 'add'],
  ['encoder', 'list'],
];

test('every command has a help with usage, options and an example of itself', async () => {
  const overview = await succeeds(['--help']);
  await Promise.all(
    COMMANDS.map(async (words) => {
      const help = await succeeds([...words, '--help']);
      const name = words.join(' ');
      assert.ok(overview.includes(`  ${name} `), `the overview names ${name}`);
      assert.match(help, new RegExp(`Usage: ontomem ${name} `));
      assert.match(help, new RegExp(`Example:\\n {2}ontomem ${name}`));
      assert.match(help, /--json +print JSON/);
    }),
  );
});

test('an unknown command, an unknown option and missing words end with 2 and one sentence', async () => {
  await Promise.all(
    [
      ['remember'],
      ['recall'],
      ['ingest'],
      ['import'],
      ['forget'],
      ['forget', '--everything', '--turn', 'x'],
      ['recall', 'x', '--limit', 'many'],
      ['recall', 'x', '--limit', ''],
      ['recall', 'x', '--user'],
      ['ingest', 'a', 'b'],
      ['ingest', 'a', '--format', 'xml'],
      ['export', 'a', 'b'],
      ['import', 'a', '--user', 'u'],
      ['encoder', 'add'],
      ...COMMANDS.map((words) => [...words, '--no-such-option']),
    ].map((args) => fails(2, args)),
  );
  const { code, stdout } = await cli([]);
  assert.is(code, 2);
  assert.match(stdout, /Usage/);
});

test('ingest, turns, recall, stats, export, import and forget work on one store, as JSON and as text', async () => {
  const chat = file('chat.txt', CHAT);
  const user = ['--user', 'ada'];
  const [report] = json(await succeeds(['ingest', chat, ...user, '--session', 'spring', '--json']));
  assert.equal(
    [report.format, report.turns, report.stored, report.unchanged, report.rejected],
    ['chat', 3, 3, 0, []],
  );
  assert.match(
    await succeeds(['ingest', chat, ...user, '--session', 'spring']),
    /^0 turns stored, 3 already there/,
  );

  const turns = json(await succeeds(['turns', ...user, '--json']));
  assert.equal(
    turns.map(({ speaker, text, session }) => [speaker, text, session]),
    [
      ['Ada', 'a cat, a sofa', 'spring'],
      ['Ada', 'the cat sat on the sofa', 'spring'],
      ['Bo', 'the bank was shut', 'spring'],
    ],
    'by event time: the dated one is the oldest',
  );
  assert.match(await succeeds(['turns', ...user]), /^2024-03-02 {2}\w+ {2}Ada: a cat, a sofa\n/);
  assert.is(json(await succeeds(['turns', ...user, '--to', '2024-04-01', '--json'])).length, 1);

  const [answer] = json(
    await succeeds(['recall', 'the', 'bank', ...user, '--json', '--explain', '--limit', '2']),
  );
  assert.is(answer.query, 'the bank');
  assert.is(answer.evidence[0].text, 'the bank was shut');
  assert.is(answer.evidence.length, 2);
  assert.type(answer.evidence[0].explanation.dense, 'number');
  const shown = await succeeds(['recall', 'bank', ...user, '--explain', '--speaker', 'Bo']);
  assert.match(shown, /^\? bank\n {2}[01]\.\d\d {2}\d{4}-\d\d-\d\d {2}Bo: the bank was shut\n {8}dense [+-]/);
  const answers = json(await succeeds(['recall', '-', ...user, '--json'], 'cat\n\nbank\n'));
  assert.equal(
    answers.map(({ query }) => query),
    ['cat', 'bank'],
  );

  const [stats] = json(await succeeds(['stats', '--json']));
  assert.equal([stats.turns, stats.scopes, stats.sessions, stats.speakers], [3, 1, 1, 2]);
  assert.match(await succeeds(['stats', ...user]), /^3 turns, 1 sessions, 2 speakers, 1 users\n/);

  const archive = join(folder, 'ada.jsonl');
  assert.match(await succeeds(['export', archive, ...user]), /^3 turns exported/);
  assert.is(await succeeds(['export', ...user]), readFileSync(archive, 'utf8'));
  const other = ['--store', join(folder, 'other')];
  assert.equal(json(await succeeds(['import', archive, ...other, '--json']))[0].stored, 3);
  assert.match(
    await succeeds(['import', '-', ...other, '--tenant', 'x', '--user', 'y'], readFileSync(archive, 'utf8')),
    /^3 turns imported for x\/y, 0 already there/,
  );
  assert.equal(json(await succeeds(['turns', ...user, ...other, '--json'])), turns);
  const [again] = json(
    await succeeds(['recall', 'the', 'bank', ...user, ...other, '--json', '--explain', '--limit', '2']),
  );
  assert.equal(again.evidence, answer.evidence, 'identical recall results');

  const id = present(turns[0]).id;
  assert.equal(json(await succeeds(['forget', ...user, '--turn', id, '--json'])), [{ forgotten: 1 }]);
  assert.match(await fails(2, ['forget', ...user, '--turn', id]), /NOT_FOUND/);
  assert.match(await succeeds(['forget', ...user, '--session', 'spring']), /^2 turns forgotten/);
  assert.match(await fails(2, ['forget', ...user, '--everything']), /NOT_FOUND/);
  assert.match(await succeeds(['recall', 'bank', ...user]), /nothing in memory bears on this/);
});

test('ingest reads JSONL and chat text from stdin, and every format from a file', async () => {
  const store = ['--store', join(folder, 'formats'), '--json'];
  const line = { id: 'a', speaker: 'Ada', text: 'the cat', at: '2024-01-01' };
  assert.is(json(await succeeds(['ingest', '-', ...store], jsonl([line])))[0].stored, 1);
  assert.is(json(await succeeds(['ingest', '-', '--format', 'chat', ...store], CHAT))[0].stored, 3);
  const locomo = [
    {
      sample_id: 'conv-1',
      conversation: {
        speaker_a: 'Ada',
        speaker_b: 'Bo',
        session_1_date_time: '1:56 pm on 8 May, 2023',
        session_1: [{ speaker: 'Ada', dia_id: 'D1:1', text: 'the sofa' }],
      },
    },
  ];
  const chatgpt = [
    {
      id: 'k',
      mapping: {
        node: { message: { author: { role: 'user' }, content: { parts: ['the bank'] }, create_time: 5 } },
      },
    },
  ];
  assert.is(
    json(await succeeds(['ingest', file('l.json', JSON.stringify(locomo)), ...store]))[0].format,
    'locomo',
  );
  assert.is(
    json(await succeeds(['ingest', file('c.json', JSON.stringify(chatgpt)), ...store]))[0].format,
    'chatgpt',
  );
  const [stats] = json(await succeeds(['stats', ...store]));
  assert.equal([stats.turns, stats.scopes], [6, 2]);
});

test('a file that is broken anywhere ends with 2, names the place and writes nothing', async () => {
  const good = { speaker: 'Ada', text: 'the cat' };
  const locomo = {
    sample_id: 'c',
    conversation: {
      speaker_a: 'A',
      speaker_b: 'B',
      session_1: [{ speaker: 'A', dia_id: 'D1:1', text: 'hi' }],
    },
    qa: [{ question: 'q', evidence: { D1: 1 }, category: 1 }],
  };
  const whole = JSON.stringify([{ ...locomo, qa: [] }]);
  const broken: ReadonlyArray<[string, string, RegExp]> = [
    ['cut.jsonl', `${jsonl([good, good])}{"speaker":"Ada","te`, /cut\.jsonl:3.*SOURCE_INVALID/],
    ['field.jsonl', jsonl([good, { speaker: 'Ada' }]), /field\.jsonl:2\.text.*SOURCE_INVALID/],
    ['scope.jsonl', jsonl([good, { ...good, user: '' }]), /scope\.jsonl:2\.user.*SOURCE_INVALID/],
    ['evidence.json', JSON.stringify([locomo]), /evidence\.json\[0\]\.qa\[0\]\.evidence.*SOURCE_INVALID/],
    ['cut.json', whole.slice(0, whole.length - 9), /cut\.json.*SOURCE_TRUNCATED/],
    ['empty.json', '', /empty\.json.*SOURCE_TRUNCATED/],
    ['what.json', '[{"hello":1}]', /what\.json.*SOURCE_INVALID/],
    ['nobody.txt', 'there is no name here', /nobody\.txt:1.*SOURCE_INVALID/],
  ];
  const store = join(folder, 'untouched');
  for (const [name, content, message] of broken) {
    assert.match(await fails(2, ['ingest', file(name, content), '--store', store]), message);
  }
  for (const name of ['absent.jsonl', 'absent.json', 'absent.txt']) {
    assert.match(await fails(2, ['ingest', join(folder, name), '--store', store]), /NOT_FOUND/);
  }
  assert.match(await fails(2, ['ingest', folder, '--store', store, '--format', 'jsonl']), /SOURCE_INVALID/);
  assert.not.ok(existsSync(join(store, 'data.mdb')), 'no store was made');
  assert.match(await fails(2, ['import', join(folder, 'absent.jsonl'), '--store', store]), /NOT_FOUND/);
});

test('turns that are refused one by one are reported, the others stored, and the end is 1', async () => {
  const store = ['--store', join(folder, 'partly')];
  const lines = jsonl([
    { id: 'a', speaker: 'Ada', text: 'the cat' },
    { id: 'b', speaker: 'Ada', text: 'the sofa', at: '31 June' },
    { id: 'c', speaker: 'Ada', text: 'x'.repeat(100_000) },
  ]);
  const { code, stdout } = await cli(['ingest', '-', '--json', ...store], lines);
  assert.is(code, 1);
  const [report] = json(stdout);
  assert.is(report.stored, 1);
  assert.equal(
    report.rejected.map((entry: { id: string; code: string }) => [entry.id, entry.code]),
    [
      ['b', 'DATE_INVALID'],
      ['c', 'TEXT_TOO_LONG'],
    ],
  );
});

test('a damaged archive ends with 2 and writes nothing', async () => {
  const store = ['--store', join(folder, 'archive-source')];
  await succeeds(['ingest', file('a.txt', CHAT), ...store]);
  const archive = await succeeds(['export', ...store]);
  const target = ['--store', join(folder, 'archive-target')];
  const cut = (share: number) => archive.slice(0, archive.length * share);
  for (const damaged of [cut(0.5), cut(0.9), '', archive.replace('sofa', 'soap'), archive + archive]) {
    assert.match(await fails(2, ['import', '-', ...target], damaged), /SOURCE_(TRUNCATED|INVALID)/);
  }
  assert.match(await fails(2, ['import', '-', ...target], `${cut(0.5)}\nnot json`), /-:\d+.*SOURCE_/);
  assert.equal(json(await succeeds(['stats', '--json', ...target]))[0].turns, 0);
  const atomically = join(folder, 'no-such-folder', 'out.jsonl');
  assert.is((await cli(['export', atomically, ...store])).code, 1);
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'inner'), { recursive: true });
  assert.is((await cli(['export', taken, ...store])).code, 1);
  assert.not.ok(existsSync(`${taken}.partial`), 'what could not be renamed is removed');
});

test('names that look like numbers, options or paths stay the strings they are', async () => {
  const store = ['--store', join(folder, 'names')];
  const names = ['007', '7', '1e3', '1000', 'null', '--', "' or 1=1"];
  for (const name of names) {
    await succeeds(
      ['ingest', '-', `--user=${name}`, `--session=${name}`, ...store],
      jsonl([{ id: name, speaker: name, text: 'the cat' }]),
    );
  }
  await Promise.all(
    names.map(async (name) => {
      const [turn, ...more] = json(
        await succeeds(['turns', `--user=${name}`, `--session=${name}`, '--json', ...store]),
      );
      assert.equal([turn.id, turn.session, turn.speaker, more.length], [name, name, name, 0]);
    }),
  );
  assert.is(json(await succeeds(['stats', '--json', ...store]))[0].scopes, names.length);
  assert.equal(json(await succeeds(['forget', '--user', '007', '--turn', '007', '--json', ...store])), [
    { forgotten: 1 },
  ]);
  assert.is(json(await succeeds(['turns', '--user', '7', '--json', ...store])).length, 1);
});

test('--store before ONTOMEM_STORE, also when it names the default folder', async () => {
  const cwd = temporaryFolder('cwd');
  const { code, stderr } = await runCli(['ingest', '-', '--store', './ontomem-store'], {
    env,
    cwd,
    input: jsonl([{ speaker: 'Ada', text: 'the cat' }]),
  });
  assert.is(code, 0, stderr);
  assert.ok(existsSync(join(cwd, 'ontomem-store', 'data.mdb')));
});

test('stored text cannot drive the terminal, neither as a line, nor as JSON, nor in an error', async () => {
  const store = ['--store', join(folder, 'hostile')];
  const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp\u2066\u0008\r\u007fend';
  const turn = { id: `id${hostile}\nforged`, speaker: `Eve${hostile}`, text: `cat ${hostile}\nforged: line` };
  await succeeds(['ingest', '-', ...store], jsonl([turn]));
  const outputs = [
    await succeeds(['turns', ...store]),
    await succeeds(['turns', '--json', ...store]),
    await succeeds(['recall', 'cat', ...store]),
    await succeeds(['recall', 'cat', '--json', ...store]),
    await succeeds(['recall', `cat ${hostile}`, ...store]),
    await succeeds(['export', ...store]),
    (await cli(['ingest', '-', ...store], jsonl([{ ...turn, text: `other ${hostile}` }]))).stdout,
    await fails(2, ['forget', '--turn', hostile, ...store]),
    await fails(2, ['turns', '--from', hostile, ...store]),
    await fails(2, ['ingest', '-', ...store], `{"a": ${hostile}}`),
    await fails(2, [hostile]),
    await fails(2, ['stats', `--${hostile}`]),
  ];
  for (const output of outputs) {
    assert.not.match(
      output,
      /[\p{Cc}\p{Bidi_Control}]/u.source === '' ? /x/ : /[^\P{Cc}\n]|\p{Bidi_Control}/u,
    );
  }
  assert.is(present(outputs[0]).trimEnd().split('\n').length, 1, 'a line break in an id starts no line');
  assert.equal(json(present(outputs[1]))[0].text, turn.text, 'JSON still says exactly what is stored');
});

test('a reader that closes the pipe early is no error', async () => {
  const store = ['--store', join(folder, 'long')];
  const lines = Array.from({ length: 3000 }, (_, n) => ({
    id: `n${n}`,
    speaker: 'Ada',
    text: `the cat ${'sofa '.repeat(20)}`,
  }));
  await succeeds(['ingest', '-', ...store], jsonl(lines));
  for (const command of ['turns --json', 'turns', 'export']) {
    const script = `"$0" "$1" ${command} --store "$2" | head -n 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await run('bash', ['-c', script, process.execPath, CLI, present(store[1])], {
      env,
    });
    assert.equal([stdout, stderr], ['0\n', ''], command);
  }
});

test('failures of the store and the encoder end with their code and one sentence', async () => {
  const store = join(folder, 'foreign');
  await succeeds(['ingest', '-', '--store', store], jsonl([{ speaker: 'Ada', text: 'the cat' }]));
  const other = join(folder, 'other-bert');
  mkdirSync(other);
  makeTinyModel(other, { seed: 2, config: { hidden_size: 36 } });
  const mismatch = await fails(1, ['recall', 'cat', '--store', store, '--encoder', other]);
  assert.match(mismatch, /tiny-bert.*other-bert.*ontomem reencode --store .* --encoder .*ENCODER_MISMATCH/);
  assert.match(await succeeds(['reencode', '--store', store, '--encoder', other]), /^1 turns now encoded/);
  await succeeds(['recall', 'cat', '--store', store, '--encoder', other]);
  await fails(2, ['recall', 'cat', '--store', join(folder, 'absent')]);
  await fails(2, ['recall', 'cat', '--store', store, '--encoder', 'no-such-encoder']);
  writeFileSync(join(store, 'data.mdb'), 'torn');
  assert.match(await fails(1, ['stats', '--store', store]), /STORE_CORRUPT/);
});

test.run();
