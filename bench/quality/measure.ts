// The steps every quality benchmark has in common: choose arms, run them, sum up the parts.
import type { Invocation } from '../../src/cli/command.js';
import type { Arm, ArmServices } from './arm.js';
import { chooseArms } from './arms.js';
import { type BenchEncoder, encoderOption, servicesOf, withEncoder } from './bench-encoder.js';
import type { Dataset } from './dataset.js';
import { seedOf } from './options.js';
import { type QueryRecord, type Run, type RunOptions, runArms } from './run.js';
import { stratifiedSample } from './sample.js';
import { shuffleGold } from './shuffle.js';
import { type BenchResult, type Labels, summarise } from './summary.js';

/** Runs a benchmark's arms over data sets with one open encoder. */
export class Measurement {
  readonly seed: number;
  readonly arms: readonly Arm[];
  readonly #opened: BenchEncoder;
  readonly #bench: string;
  readonly #shuffle: boolean;
  readonly #queries: number | undefined;

  private constructor(invocation: Invocation, bench: string, opened: BenchEncoder, table?: readonly Arm[]) {
    this.seed = seedOf(invocation);
    this.arms = chooseArms(invocation, table);
    this.#bench = bench;
    this.#opened = opened;
    this.#shuffle = invocation.flag('shuffle-gold');
    this.#queries = invocation.number('queries');
  }

  /** Opens the encoder that the options name for the time of `work`; `table` replaces the table of arms. */
  static async within<T>(
    invocation: Invocation,
    bench: string,
    work: (measurement: Measurement) => Promise<T>,
    table?: readonly Arm[],
  ): Promise<T> {
    return withEncoder(encoderOption(invocation), (opened) =>
      work(new Measurement(invocation, bench, opened, table)),
    );
  }

  get encoder(): string {
    return this.#opened.encoder.identity.name;
  }

  /** What arms are prepared with. */
  get services(): ArmServices {
    return servicesOf(this.#opened);
  }

  async run(dataset: Dataset, options: RunOptions = {}): Promise<Run> {
    const sampled =
      this.#queries === undefined ? dataset : stratifiedSample(dataset, this.#queries, this.seed);
    const measured = this.#shuffle ? shuffleGold(sampled, this.seed) : sampled;
    return runArms(measured, this.arms, this.#opened, options);
  }

  /** Figures of the records that `belongs` takes, or of all. */
  summary(run: Run, split: string, belongs: (record: QueryRecord) => boolean = () => true): BenchResult {
    const labels: Labels = { bench: this.#bench, split, encoder: this.encoder, seed: this.seed };
    return summarise(run, run.records.filter(belongs), this.arms, labels);
  }
}
