// Where onnxruntime's library lies: inside the package onnxruntime-node, whose JavaScript is never loaded.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OntomemError } from '../../errors.js';

const PACKAGE = 'onnxruntime-node';
/** libonnxruntime.so.1, libonnxruntime.1.30.0.dylib, onnxruntime.dll; not the providers beside it. */
const LIBRARY = /^(?:lib)?onnxruntime(?:\.so(?:\.\d+)*|(?:\.\d+)*\.dylib|\.dll)$/;

/** @throws ENCODER_INVALID where the package has none for this platform. */
export function runtimeLibrary(): string {
  const root = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  const folders = existsSync(join(root, 'bin')) ? readdirSync(join(root, 'bin')) : [];
  for (const napi of folders) {
    const folder = join(root, 'bin', napi, process.platform, process.arch);
    const name = existsSync(folder) ? readdirSync(folder).find((file) => LIBRARY.test(file)) : undefined;
    if (name !== undefined) return join(folder, name);
  }
  throw new OntomemError('ENCODER_INVALID', {
    input: PACKAGE,
    problem: `has no library for ${process.platform}-${process.arch}`,
    cure: 'run on Linux with glibc, macOS or Windows, x64 or arm64, or pass an encoder of your own',
  });
}

/** What to say when it does not load: on Linux it is built for glibc alone. Undefined where that is not the reason. */
export function libraryMisfit(): OntomemError | undefined {
  // The report reads the machine anew, in some ten milliseconds: only after a failure.
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  if (process.platform !== 'linux' || header.glibcVersionRuntime !== undefined) return undefined;
  return new OntomemError('ENCODER_INVALID', {
    input: PACKAGE,
    problem: 'is built for glibc, and this Linux has another C library (Alpine has musl)',
    cure: 'use an image with glibc, such as node:22-slim, or pass an encoder of your own',
  });
}
