// bench peers: ontomem's exact search beside usearch, SimSIMD, hnswlib and FAISS.
import { peerScript } from './peer-script.js';

export const command = peerScript({
  name: 'peers',
  summary:
    'Times exact search beside the libraries a user would link instead; judge by ratio, measured round by round. ' +
    'npm ci --prefix bench/peers and bench/peers/faiss/setup install them; an absent one is skipped.',
  example: 'npm run -s bench -- peers --d 384 --n 1000,10000 --json',
  script: 'kernels.mjs',
  options: {
    d: { type: 'string', value: 'D,...', help: 'dimensions; 384, 768 and 1024 when absent' },
    n: { type: 'string', value: 'N,...', help: 'rows; 100 to 50,000 when absent' },
    batch: { type: 'string', value: 'B,...', help: 'queries a call; 1 and 32 when absent' },
    peers: { type: 'string', value: 'A,...', help: 'all when absent' },
  },
});
