// Which tfjs backend trains: the one that is installed, WebAssembly otherwise.
import '@tensorflow/tfjs-backend-wasm';

/** A development dependency: training belongs to a clone of the sources, serving never loads it. */
export async function fastestBackend(): Promise<string> {
  for (const native of ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node']) {
    if (await isInstalled(native)) return 'tensorflow';
  }
  return 'wasm';
}

async function isInstalled(name: string): Promise<boolean> {
  try {
    await import(name);
    return true;
  } catch {
    return false;
  }
}
