// bench kernels: every search kernel beside an FMA loop and a streaming read of the same rows.
import { nativeBench } from './native-bench.js';

export const command = nativeBench({
  name: 'kernels',
  summary:
    'Times the search kernels; judge by fractionOfStream and fractionOfFma, measured in the same loop.',
  example: 'npm run -s bench -- kernels --d 384 --n 1000,10000 --json',
  program: 'kernels_bench',
  options: {
    d: { type: 'string', value: 'D,...', help: 'dimensions; 384, 768 and 1024 when absent' },
    n: { type: 'string', value: 'N,...', help: 'rows; 100 to 200,000 when absent' },
    batch: { type: 'string', value: 'B,...', help: 'queries a call; 1 and 32 when absent' },
    format: { type: 'string', value: 'F,...', help: 'f32, bf16, int8, int8+rescore' },
    residency: { type: 'string', value: 'R,...', help: 'warm, cold' },
    op: { type: 'string', value: 'OP,...', help: 'topk, scores' },
    samples: { type: 'string', value: 'N', help: 'samples a row' },
    isa: { type: 'string', value: 'ISA', help: 'scalar, avx2, avx512, avx512-wide or neon instead of the best' },
  },
  columns: [
    'op',
    'd',
    'n',
    'batch',
    'format',
    'residency',
    'us',
    'p10Us',
    'p90Us',
    'fractionOfStream',
    'fractionOfFma',
  ],
});
