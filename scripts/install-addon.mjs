// Runs when ontomem is installed as a dependency: keeps a prebuilt addon, else builds one.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAddon } from './build-addon.mjs';

const built = fileURLToPath(new URL('../build/Release/ontomem.node', import.meta.url));
const prebuilt = fileURLToPath(
  new URL(`../prebuilds/ontomem-${process.platform}-${process.arch}/node-napi-v8.node`, import.meta.url),
);

if (!existsSync(built) && !existsSync(prebuilt)) {
  const problem = buildAddon();
  if (problem !== undefined) {
    console.error(`ontomem: ${problem}`);
    process.exit(1);
  }
}
