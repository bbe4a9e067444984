// Text to token ids, as the model's tokenizer.json says, cut to the model's length.

import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { OntomemError, reasonOf } from '../../errors.js';
import { readJson } from '../settings.js';

/** Characters a token of the limit that are read first, and at most: more than any language takes on average. */
const FIRST_CHARACTERS = 2;
const MOST_CHARACTERS = 10;
/** Pieces that a word cut by the opening's end can have; WordPiece gives up on words of more than 100 letters. */
const TOKENS_OF_A_CUT_WORD = 100;

/** Only what this file relies on; the tokenizer checks the rest by using it. */
const tokenizerSchema = z.looseObject({ model: z.looseObject({}) });

export interface TokenBounds {
  /** Longest sequence, special tokens included. */
  maxTokens: number;
  /** Ids lie below it; undefined when the model does not say. */
  vocabularySize: number | undefined;
}

/** Ids go to the model as 32-bit numbers. */
const HIGHEST_ID = 2 ** 31 - 1;

/**
 * A model's tokenizer. The padding and truncation that a tokenizer.json may ask for are left to the batches:
 * fixed padding to 128 would multiply the work of short turns.
 */
export class TextTokenizer {
  readonly #suffix: readonly number[];

  readonly #tokenizer: Tokenizer;
  readonly #path: string;
  readonly #bounds: TokenBounds;

  private constructor(tokenizer: Tokenizer, path: string, bounds: TokenBounds) {
    this.#tokenizer = tokenizer;
    this.#path = path;
    this.#bounds = bounds;
    // What a template puts after the text must survive the cut; one probe word shows where the text stands.
    const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
    const { ids } = tokenizer.encode('a');
    const start = Math.max(0, ids.indexOf(bare[0] ?? Number.NaN));
    this.#suffix = ids.slice(start + bare.length);
  }

  /** @throws ENCODER_INVALID, naming the file, when it is missing or no tokenizer comes of it. */
  static async open(path: string, settingsPath: string, bounds: TokenBounds): Promise<TextTokenizer> {
    const definition = await readJson(path, tokenizerSchema);
    if (definition === undefined)
      throw new OntomemError('ENCODER_INVALID', { input: path, problem: 'is missing' });
    const settings = (await readJson(settingsPath, z.looseObject({}))) ?? {};
    try {
      return new TextTokenizer(new Tokenizer(definition, settings), path, bounds);
    } catch (cause) {
      const problem = `is not a usable tokenizer (${reasonOf(cause)})`;
      throw new OntomemError('ENCODER_INVALID', { input: path, problem, cause });
    }
  }

  /** Tokens of a text, the model's special ones included, before any cut; of a long text, of its opening. */
  count(text: string): number {
    return this.#opening(text).length;
  }

  /**
   * Token ids with the model's special tokens, at most `maxTokens`: the end of a long text is cut. Reads no further
   * than it must: 64 KB would hold the thread for 50 ms. O(tokens kept).
   * @throws ENCODER_INVALID for an id that the model has no row for, ENCODER_FAILED when the tokenizer fails.
   */
  encode(text: string): number[] {
    const { maxTokens, vocabularySize = HIGHEST_ID } = this.#bounds;
    const all = this.#opening(text);
    const ids =
      all.length <= maxTokens ? all : [...all.slice(0, maxTokens - this.#suffix.length), ...this.#suffix];
    for (const id of ids) {
      if (Number.isInteger(id) && id >= 0 && id < vocabularySize) continue;
      throw new OntomemError('ENCODER_INVALID', {
        input: this.#path,
        problem: `gives the token id ${id} where the model has ${vocabularySize} rows`,
        cure: 'take tokenizer.json and the weights from the same model',
      });
    }
    return ids;
  }

  /**
   * Tokens of the text, or of an opening long enough that a word cut in two lies past the limit. Of a text with
   * fewer tokens than characters / 10, such as one letter repeated, what stands behind the last opening is left.
   */
  #opening(text: string): number[] {
    const { maxTokens } = this.#bounds;
    const wanted = maxTokens + TOKENS_OF_A_CUT_WORD;
    const most = maxTokens * MOST_CHARACTERS;
    const first = Math.min(maxTokens * FIRST_CHARACTERS, text.length);
    let ids = this.#run(text.slice(0, first).toWellFormed());
    // Then as far as the first opening promises, and only where it promised too much to the end.
    const promised = Math.min(most, Math.ceil((1.1 * first * wanted) / Math.max(1, ids.length)));
    for (const end of new Set([promised, most])) {
      if (ids.length >= wanted || first === text.length) break;
      ids = this.#run(text.slice(0, end).toWellFormed());
      if (end >= text.length) break;
    }
    return ids;
  }

  #run(text: string): number[] {
    try {
      return this.#tokenizer.encode(text).ids;
    } catch (cause) {
      throw new OntomemError('ENCODER_FAILED', {
        input: this.#path,
        problem: `the tokenizer failed (${reasonOf(cause)})`,
        cause,
      });
    }
  }
}
