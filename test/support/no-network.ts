// Loaded before a program (--import): every way out to a network throws and is written to NO_NETWORK_LOG.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

function refuse(way: string): (...args: unknown[]) => never {
  return (...args) => {
    const target = JSON.stringify(args.slice(0, 2), (_key, value: unknown) =>
      typeof value === 'function' ? undefined : value,
    );
    appendFileSync(process.env.NO_NETWORK_LOG ?? '/dev/null', `${way} ${target}\n`);
    throw new Error(`network access: ${way}`);
  };
}

const ways: ReadonlyArray<[object, readonly string[]]> = [
  [net, ['connect', 'createConnection']],
  [net.Socket.prototype, ['connect']],
  [tls, ['connect']],
  [dns, ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny']],
  [dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny']],
  [http, ['request', 'get']],
  [https, ['request', 'get']],
  [http2, ['connect']],
  [dgram, ['createSocket']],
  [globalThis, ['fetch', 'WebSocket', 'EventSource']],
];
for (const [owner, names] of ways) {
  for (const name of names) {
    if (name in owner) Object.defineProperty(owner, name, { value: refuse(name), configurable: true });
  }
}
syncBuiltinESMExports();
