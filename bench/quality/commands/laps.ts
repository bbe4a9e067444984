// bench laps: what LAPS holds, and how well the turns that state its gold preferences are found.
import { join } from 'node:path';
import type { Command } from '../../../src/cli/command.js';
import { amongGold } from '../datasets/among-gold.js';
import { LAPS_FILES, lapsDataset, readLaps } from '../datasets/laps.js';
import { Measurement } from '../measure.js';
import { DATA_OPTION, dataPath, QUALITY_OPTIONS } from '../options.js';
import { emit } from '../output.js';

export const command: Command = {
  name: 'bench laps',
  words: '',
  summary: 'Measures recall of the turns that state the gold preferences of LAPS.',
  example: 'npm run -s bench -- laps --data laps --json',
  options: { ...DATA_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const folder = dataPath(invocation, 'laps');
    const files = LAPS_FILES.map((name) => join(folder, name));
    await Measurement.within(invocation, 'laps', async (measurement) => {
      const dataset = lapsDataset(files);
      const run = await measurement.run(dataset);
      const matched = await measurement.run(amongGold(dataset), { timed: false });
      await emit(
        invocation,
        'laps',
        [
          {
            name: 'laps',
            title: 'LAPS, turns that state a preference',
            result: measurement.summary(run, 'all'),
          },
          {
            name: 'stated',
            title: 'LAPS, among the turns that state some preference',
            result: measurement.summary(matched, 'all'),
          },
        ],
        { gold: goldStatistics(files) },
      );
    });
  },
};

/** Counts of the extraction gold by file. */
function goldStatistics(files: readonly string[]) {
  return Object.fromEntries(
    files.map((file, number) => {
      const sessions = readLaps(file).flatMap((user) => user.sessions);
      const preferences = sessions.flatMap((session) => session.preferences);
      const verbatim = preferences.filter(({ statedBy }) => statedBy.length > 0).length;
      const byCategory: Record<string, number> = {};
      for (const { category } of preferences) byCategory[category] = (byCategory[category] ?? 0) + 1;
      const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
      return [
        LAPS_FILES[number] ?? file,
        { sessions: sessions.length, turns, preferences: preferences.length, verbatim, byCategory },
      ];
    }),
  );
}
