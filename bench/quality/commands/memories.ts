// bench memories: recall, time and bytes of the memories a user would take instead.
import { peerScript } from '../../speed/peer-script.js';

export const command = peerScript({
  name: 'memories',
  summary:
    'Measures ontomem, mem0 and the LangGraph store with one encoder: recall, milliseconds, resident bytes. ' +
    'npm ci --prefix bench/peers installs the others; an absent one is skipped.',
  example: 'npm run -s bench -- memories --sets locomo --queries 500 --json',
  script: 'recall.mjs',
  options: {
    sets: {
      type: 'string',
      value: 'A,...',
      help: 'ipr, ipr statements, locomo, prefeval, prefeval statements; all when absent',
    },
    peers: { type: 'string', value: 'A,...', help: 'ontomem, mem0, langgraph; all when absent' },
    encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder' },
    data: { type: 'string', value: 'DIR', help: 'folder with locomo10.json and prefeval/' },
    queries: { type: 'string', value: 'N', help: 'queries drawn from each set; 500 when absent' },
  },
});
