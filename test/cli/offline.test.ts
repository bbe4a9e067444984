// Nothing leaves the machine: ingest and recall with the bundled encoder make no attempt to.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run, runCli } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('offline');
const PRELOAD = new URL('../support/no-network.js', import.meta.url).href;

test('the guard itself sees an attempt', async () => {
  const log = join(temporaryFolder('offline'), 'attempts');
  const { code } = await run(
    process.execPath,
    [
      '--import',
      PRELOAD,
      '--input-type=module',
      '-e',
      "import { get } from 'node:http'; get('http://127.0.0.1:9/');",
    ],
    { env: { NO_NETWORK_LOG: log } },
  );
  assert.is.not(code, 0);
  assert.match(readFileSync(log, 'utf8'), /^get /);
});

test('ingest and recall of a conversation open no socket and resolve no name', async () => {
  const folder = temporaryFolder('offline');
  const log = join(folder, 'attempts');
  const chat = join(folder, 'chat.txt');
  writeFileSync(
    chat,
    'Ada: I only drink oolong after lunch.\nBo: The tram was late again.\nAda: My cat is called Moss.\n',
  );
  const env = { NO_NETWORK_LOG: log, ONTOMEM_STORE: join(folder, 'store') };
  const node = ['--import', PRELOAD];
  const stored = await runCli(['ingest', chat, '--json'], { env, node });
  assert.is(stored.code, 0, stored.stderr);
  assert.is(JSON.parse(stored.stdout).stored, 3);
  const recalled = await runCli(['recall', 'what is the name of the pet?', '--json'], { env, node });
  assert.is(recalled.code, 0, recalled.stderr);
  assert.match(JSON.parse(recalled.stdout).evidence[0].text, /Moss/);
  assert.is(existsSync(log) ? readFileSync(log, 'utf8') : '', '', 'no attempt was made');
});

test.run();
