// ontomem encoder add|list: checks an encoder and registers it under its name.
import { type Command, UsageError } from '../command.js';
import { print, printJson } from '../output.js';

export const encoderAdd: Command = {
  name: 'encoder add',
  words: 'DIR|HUB-ID',
  summary:
    'Checks a BERT-family encoder and registers it; a hub id is fetched first (HF_ENDPOINT), the only download there is.',
  example: 'ontomem encoder add ./e5-small-v2 --name e5-small-v2',
  options: {
    name: { type: 'string', value: 'NAME', help: 'name to register it under' },
    pooling: { type: 'string', value: 'mean|cls', help: 'how token states become one vector' },
    'query-prefix': { type: 'string', value: 'TEXT', help: 'put before every query' },
    'passage-prefix': { type: 'string', value: 'TEXT', help: 'put before every turn' },
  },
  async run(invocation) {
    const [source, ...rest] = invocation.words;
    if (source === undefined || rest.length > 0) throw new UsageError('encoder add takes one DIR or HUB-ID');
    const pooling = invocation.text('pooling');
    if (pooling !== undefined && pooling !== 'mean' && pooling !== 'cls')
      throw new UsageError(`--pooling is mean or cls, not '${pooling}'`);
    const given = {
      name: invocation.text('name'),
      pooling,
      queryPrefix: invocation.text('query-prefix'),
      passagePrefix: invocation.text('passage-prefix'),
    };
    const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const { addEncoder } = await import('../../encode/acquire/registry.js');
    const report = await addEncoder(source, overrides);
    if (invocation.flag('json')) return printJson(report);
    print(
      `${report.identity.name} added: ${report.identity.dimension} dimensions, ${report.identity.pooling} pooling`,
    );
    print(
      `probe: related texts ${report.probe.related.toFixed(3)}, unrelated ${report.probe.unrelated.toFixed(3)}`,
    );
  },
};

export const encoderList: Command = {
  name: 'encoder list',
  words: '',
  summary: 'Lists the registered encoders.',
  example: 'ontomem encoder list --json',
  options: {},
  async run(invocation) {
    const { listEncoders } = await import('../../encode/acquire/registry.js');
    const encoders = await listEncoders();
    if (invocation.flag('json')) return printJson(encoders);
    for (const { name, folder } of encoders) print(`${name}  ${folder}`);
  },
};
