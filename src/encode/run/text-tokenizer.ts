// Text to token ids, as the model's tokenizer.json says, cut to the model's length.

import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { OntomemError } from '../../errors.js';
import { readJson } from '../settings.js';

/** Only what this file relies on; the tokenizer checks the rest by using it. */
const tokenizerSchema = z.looseObject({ model: z.looseObject({}) });

/**
 * A model's tokenizer. The padding and truncation that a tokenizer.json may ask for are left to the batches:
 * fixed padding to 128 would multiply the work of short turns.
 */
export class TextTokenizer {
  private readonly suffix: readonly number[];

  private constructor(
    private readonly tokenizer: Tokenizer,
    private readonly maxTokens: number,
  ) {
    // What a template puts after the text must survive the cut; one probe word shows where the text stands.
    const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
    const { ids } = tokenizer.encode('a');
    const start = Math.max(0, ids.indexOf(bare[0] ?? Number.NaN));
    this.suffix = ids.slice(start + bare.length);
  }

  /** Throws ENCODER_INVALID, naming the file, when it is missing or no tokenizer comes of it. */
  static async open(path: string, settingsPath: string, maxTokens: number): Promise<TextTokenizer> {
    const definition = await readJson(path, tokenizerSchema);
    if (definition === undefined)
      throw new OntomemError('ENCODER_INVALID', { input: path, problem: 'is missing' });
    const settings = (await readJson(settingsPath, z.looseObject({}))) ?? {};
    try {
      return new TextTokenizer(new Tokenizer(definition, settings), maxTokens);
    } catch (cause) {
      const problem = `is not a usable tokenizer (${cause instanceof Error ? cause.message : cause})`;
      throw new OntomemError('ENCODER_INVALID', { input: path, problem, cause });
    }
  }

  /** Tokens of a text, the model's special ones included, before any cut. O(text). */
  count(text: string): number {
    return this.tokenizer.encode(text).ids.length;
  }

  /** Token ids with the model's special tokens, at most `maxTokens`: the end of a long text is cut. O(text). */
  encode(text: string): number[] {
    const { ids } = this.tokenizer.encode(text);
    if (ids.length <= this.maxTokens) return ids;
    return [...ids.slice(0, this.maxTokens - this.suffix.length), ...this.suffix];
  }
}
