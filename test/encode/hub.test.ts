// Adding encoders: checks, the registry, and fetching from a hub on the loopback that breaks off midway.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addEncoder, listEncoders } from '../../src/encode/acquire/registry.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { expectError } from './expecting.js';
import { makeTinyModel, temporaryFolder } from './tiny-bert.js';

const sha = 'c0ffee'.repeat(6);

/** A hub with one repository; large files are redirected to a "storage" path, as the real one does. */
class LoopbackHub {
  readonly requests: { path: string; range: string | undefined }[] = [];
  /** Bytes of weights sent before the connection is cut; one entry a request, then no more cuts. */
  cuts: number[] = [];
  /** What the weights' entity tag says. */
  weightsTag: string;
  honoursRanges = true;
  /** Requests for weights answered 503 before one is served. */
  outages = 0;
  private readonly files = new Map<string, Buffer>();
  private server: Server | undefined;

  constructor(folder: string) {
    for (const file of ['config.json', 'tokenizer.json', 'model.safetensors']) {
      this.files.set(file, readFileSync(join(folder, file)));
    }
    this.files.set('README.md', Buffer.from('# not needed'));
    this.weightsTag = createHash('sha256').update(this.weights).digest('hex');
  }

  get weights(): Buffer {
    return this.files.get('model.safetensors') ?? Buffer.alloc(0);
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => this.answer(request, response));
    this.server = server;
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    process.env.HF_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    const { server } = this;
    server?.closeAllConnections();
    await new Promise((done) => server?.close(done));
  }

  rangesOf(file: string): (string | undefined)[] {
    return this.requests.filter(({ path }) => path.endsWith(file)).map(({ range }) => range);
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.requests.push({ path, range: request.headers.range });
    const prefix = `/someone/tiny/resolve/${sha}/`;
    const storage = '/storage/';
    if (path === '/api/models/someone/tiny') {
      const siblings = [...this.files.keys()].map((rfilename) => ({ rfilename }));
      response.end(JSON.stringify({ id: 'someone/tiny', sha, siblings }));
    } else if (path === `${prefix}model.safetensors`) {
      const headers = { 'x-linked-etag': `"${this.weightsTag}"`, 'x-linked-size': this.weights.length };
      response.writeHead(302, { ...headers, location: `${storage}model.safetensors?signed=1` }).end();
    } else if (path.startsWith(storage)) {
      this.sendWeights(request, response);
    } else {
      const content = this.files.get(path.slice(prefix.length));
      if (!path.startsWith(prefix) || content === undefined) {
        response.writeHead(404).end('Not Found');
        return;
      }
      const blob = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
      response.writeHead(200, { etag: `W/"${blob}"`, 'content-length': content.length }).end(content);
    }
  }

  private sendWeights(request: IncomingMessage, response: ServerResponse): void {
    if (this.outages-- > 0) {
      response.writeHead(503).end('try later');
      return;
    }
    const total = this.weights.length;
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const start = this.honoursRanges && asked !== null ? Number(asked[1]) : 0;
    if (start >= total) {
      response.writeHead(416, { 'content-range': `bytes */${total}` }).end();
      return;
    }
    const range = start > 0 ? { 'content-range': `bytes ${start}-${total - 1}/${total}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { ...range, 'content-length': total - start });
    const cut = this.cuts.shift();
    if (cut === undefined) response.end(this.weights.subarray(start));
    else
      response.write(this.weights.subarray(start, start + cut), () =>
        setTimeout(() => response.destroy(), 20),
      );
  }
}

let model: string;
let hub: LoopbackHub;

/** Random weights know no meaning; with this seed the probe happens to come out right. */
const luckySeed = 14;

test.before.each(async () => {
  process.env.ONTOMEM_CACHE = temporaryFolder('cache');
  model = join(temporaryFolder('model'), 'tiny');
  mkdirSync(model);
  makeTinyModel(model, { seed: luckySeed });
  hub = new LoopbackHub(model);
  await hub.start();
});
test.after.each(() => hub.stop());

test('a folder is checked, registered under its name, listed, and opens by that name', async () => {
  const report = await addEncoder(model, { name: 'house-encoder', queryPrefix: 'the cat ' });
  assert.is(report.name, 'house-encoder');
  assert.is(report.identity.dimension, 24);
  assert.ok(report.probe.related > report.probe.unrelated);
  const listed = await listEncoders();
  assert.equal(
    listed.map(({ name }) => name),
    ['all-MiniLM-L6-v2', 'house-encoder'],
  );
  assert.ok(existsSync(join(listed[0]?.folder ?? '', 'tokenizer.json')));
  const encoder = await openEncoder('house-encoder');
  await encoder.close();
  assert.equal(encoder.identity, report.identity);
  assert.is(hub.requests.length, 0);
});

test('adding again under one name replaces, under another adds', async () => {
  await addEncoder(model, { name: 'one' });
  await addEncoder(model, { name: 'two' });
  await addEncoder(model, { name: 'one', queryPrefix: 'the ' });
  const listed = await listEncoders();
  assert.equal(
    listed.map(({ name, identity }) => [name, identity?.queryPrefix]),
    [
      ['all-MiniLM-L6-v2', undefined],
      ['two', ''],
      ['one', 'the '],
    ],
  );
});

test('an encoder that tells nothing apart is refused and not registered', async () => {
  const folder = temporaryFolder('flat');
  makeTinyModel(folder, { fill: (name) => (name.endsWith('LayerNorm.bias') ? 0.5 : 0) });
  await expectError('ENCODER_INVALID', 'no nearer to its answer', () => addEncoder(folder, { name: 'flat' }));
  assert.is((await listEncoders()).length, 1);
});

test('an encoder with numbers that are none is refused', async () => {
  const folder = temporaryFolder('nan');
  makeTinyModel(folder, {
    fill: (name) => (name === 'encoder.layer.1.output.dense.bias' ? Number.NaN : undefined),
  });
  await expectError('ENCODER_INVALID', 'not finite', () => addEncoder(folder, { name: 'nan' }));
});

test("the default encoder's name is not given away", async () => {
  await expectError('INVALID_ARGUMENT', 'default', () => addEncoder(model, { name: 'all-MiniLM-L6-v2' }));
});

test('what is neither a folder nor a hub id is not found', async () => {
  await expectError('ENCODER_NOT_FOUND', 'no such/hub/id', () => addEncoder('no such/hub/id'));
});

test('a damaged registry is said to be one', async () => {
  writeFileSync(join(process.env.ONTOMEM_CACHE ?? '', 'encoders.json'), '{"version": 1');
  await expectError('ENCODER_INVALID', 'encoders.json', () => listEncoders());
});

test('a model is fetched by its hub id, then opens by name or id without the hub', async () => {
  const report = await addEncoder('someone/tiny');
  assert.is(report.name, 'tiny');
  assert.not(hub.requests.some(({ path }) => path.includes('README')));
  await hub.stop();
  const fetched = hub.requests.length;
  for (const name of ['tiny', 'someone/tiny']) {
    const encoder = await openEncoder(name);
    await encoder.close();
    assert.equal(encoder.identity, report.identity);
  }
  assert.is(hub.requests.length, fetched);
});

test('a connection that breaks off is resumed where it broke', async () => {
  hub.cuts = [5000, 3000];
  const progress: number[] = [];
  await addEncoder('someone/tiny', {
    onProgress: ({ file, bytes, totalBytes }) => {
      if (file !== 'model.safetensors') return;
      assert.is(totalBytes, hub.weights.length);
      progress.push(bytes);
    },
  });
  const storage = hub.rangesOf('?signed=1');
  assert.equal(storage, [undefined, 'bytes=5000-', 'bytes=8000-']);
  assert.equal(
    progress.toSorted((a, b) => a - b),
    progress,
  );
  assert.is(progress.at(-1), hub.weights.length);
});

test('a run that gave up is continued by the next one', async () => {
  hub.cuts = [4000, 0, 0, 0, 0, 0, 0];
  await expectError('ENCODER_FETCH_FAILED', 'broke off after 4000 bytes', () => addEncoder('someone/tiny'));
  assert.is((await listEncoders()).length, 1);
  hub.cuts = [];
  hub.requests.length = 0;
  const { folder } = await addEncoder('someone/tiny');
  assert.equal(hub.rangesOf('?signed=1'), ['bytes=4000-']);
  assert.equal(hub.rangesOf('tokenizer.json'), []);
  assert.ok(readFileSync(join(folder, 'model.safetensors')).equals(hub.weights));
  assert.equal(
    readdirSync(folder).filter((file) => file.endsWith('.partial')),
    [],
  );
});

test('a server without ranges is read from the start again', async () => {
  hub.honoursRanges = false;
  hub.cuts = [6000];
  const { folder } = await addEncoder('someone/tiny');
  assert.ok(readFileSync(join(folder, 'model.safetensors')).equals(hub.weights));
});

test('a server that is busy for a moment is asked again, one that stays so is given up', async () => {
  hub.outages = 2;
  await addEncoder('someone/tiny');
  process.env.ONTOMEM_CACHE = temporaryFolder('cache');
  hub.outages = 100;
  await expectError('ENCODER_FETCH_FAILED', '503', () => addEncoder('someone/tiny'));
});

test('a file that was complete but not yet renamed is not fetched again', async () => {
  const { folder } = await addEncoder('someone/tiny');
  const again = join(folder, 'model.safetensors');
  process.env.ONTOMEM_CACHE = temporaryFolder('cache');
  const target = join(process.env.ONTOMEM_CACHE, 'hub', 'someone', sha, 'tiny');
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'model.safetensors.partial'), readFileSync(again));
  await addEncoder('someone/tiny');
  assert.ok(readFileSync(join(target, 'model.safetensors')).equals(hub.weights));
});

test('a sum that differs is refused and nothing is kept', async () => {
  hub.weightsTag = 'ab'.repeat(32);
  await expectError('ENCODER_FETCH_FAILED', 'has the sum', () => addEncoder('someone/tiny'));
  const folder = join(process.env.ONTOMEM_CACHE ?? '', 'hub', 'someone', sha, 'tiny');
  assert.equal(readdirSync(folder).sort(), ['config.json', 'tokenizer.json']);
});

test('an unknown repository and a hub that is not there are said to be so', async () => {
  await expectError('ENCODER_FETCH_FAILED', '404', () => addEncoder('someone/unknown'));
  await hub.stop();
  await expectError('ENCODER_FETCH_FAILED', 'someone/tiny', () => addEncoder('someone/tiny'));
});

test('fetching can be aborted', async () => {
  const controller = new AbortController();
  hub.cuts = [2000, 2000, 2000, 2000];
  const call = addEncoder('someone/tiny', {
    signal: controller.signal,
    onProgress: ({ file }) => {
      if (file === 'model.safetensors') controller.abort();
    },
  });
  await expectError('ABORTED', 'aborted', () => call);
});

test.run();
