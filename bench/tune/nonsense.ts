// Queries that mean nothing: what a memory is to leave alone.
import { between, type Random, seededRandom } from '../random.js';

/** Nine queries in ten mean something. */
export const MEANT = 0.9;

const GIBBERISH = 400;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const VOWELS = 'aeiou';
/** What makes a question of it. */
const FRAMES = [
  (a: string, b: string) => `what is the ${a} of ${b}`,
  (a: string, b: string) => `do you have any ${a} for my ${b}?`,
  (a: string, b: string) => `should i be ${a} or ${b} on this?`,
  (a: string, b: string) => `which ${a} was it, and where is the ${b}?`,
  (a: string, b: string) => `can we do that ${a} with ${b}`,
];
const QUESTIONS = 60;

/** Two to five words of letters, of syllables, or of digits. */
export function gibberish(): string[] {
  const random = seededRandom('gibberish');
  return Array.from({ length: GIBBERISH }, () => {
    const word = wordMaker(random);
    return Array.from({ length: between(random, 2, 5) }, word).join(' ');
  });
}

/** The same as questions: nothing in them but their function words is a word. */
export function questionsAboutNothing(): string[] {
  const random = seededRandom('questions about nothing');
  return Array.from({ length: QUESTIONS }, (_, place) => {
    const word = wordMaker(random);
    return FRAMES[place % FRAMES.length]?.(word(), word()) ?? '';
  });
}

/** Makes words of one kind. */
function wordMaker(random: Random): () => string {
  const from = (characters: string) => characters[between(random, 0, characters.length - 1)] ?? '';
  const pieces = [
    () => from(LETTERS),
    () => from(LETTERS) + from(VOWELS),
    () => String(between(random, 0, 9)),
  ];
  const piece = pieces[between(random, 0, pieces.length - 1)];
  return () => Array.from({ length: between(random, 2, 4) }, () => piece?.() ?? '').join('');
}
