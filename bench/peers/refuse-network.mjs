// Imported first: nothing a peer does leaves this machine; loopback stays open.
import net from 'node:net';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const connect = net.Socket.prototype.connect;

/** Every TCP connection of Node, fetch included, ends up here. */
net.Socket.prototype.connect = function refusing(...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  const host =
    typeof first === 'object' && first !== null ? (first.host ?? 'localhost') : (given[1] ?? 'localhost');
  const local = typeof first === 'object' && first !== null && first.path !== undefined;
  if (local || typeof host !== 'string' || LOOPBACK.has(host)) return connect.apply(this, given);
  throw new Error(`a peer tried to reach ${host}`);
};
