// What is read before a query, chosen by measurement. Written by `npm run -s bench -- tune`, on the train and dev splits
// of our own corpus alone; the curves stand in bench/tune/curves.json.

export const TUNED_CONTEXT = {
  /** How many of the turns before a query are read with it, and how many characters of them at most. */
  contextTurns: 2,
  contextCharacters: 200,
};
