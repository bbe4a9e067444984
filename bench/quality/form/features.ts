// The form of a turn without its meaning: length, shape, and how it uses function words.

/** Words that carry form and no topic: person, tense, negation, frequency, connection. */
const FUNCTION_WORDS = (
  'i me my mine we us our you your he she his her it its they them their this that these those a an the ' +
  'and but or so if because when while until since before after than then there here what which who how why ' +
  'am is are was were be been being have has had do does did can could may might must shall should will would ' +
  "don't doesn't didn't can't won't isn't not no never always usually often sometimes once still anymore again " +
  'only just too very more most any every all some about at by for from in of on to with without up out over ' +
  'love like hate prefer need want used'
).split(' ');
const WORD = /[\p{L}\p{N}'’]+/gu;
/** Words of a long turn, so that lengths come out near 1. */
const LONG = 50;

/** One row of features, most of them in [0, 1]. O(length). */
export function formOf(text: string): Float64Array {
  const words = (text.match(WORD) ?? ['']).map((word) => word.toLowerCase().replaceAll('’', "'"));
  const present = new Set(words);
  const share = (ending: RegExp) => (5 * words.filter((word) => ending.test(word)).length) / words.length;
  const count = (pattern: RegExp) => (text.match(pattern) ?? []).length;
  return Float64Array.from([
    Math.log(words.length) / Math.log(LONG),
    words.length / LONG,
    words.join('').length / words.length / 5,
    count(/[.!?…]+/gu) / 5,
    count(/,/gu) / 5,
    Number(/[?？]/u.test(text)),
    Number(/[!！]/u.test(text)),
    Number(/\p{N}/u.test(text)),
    Number(/^\p{Ll}/u.test(text)),
    Number(/[\p{L}\p{N},;] +\p{Lu}\p{Ll}/u.test(text)),
    share(/ed$/),
    share(/ing$/),
    ...FUNCTION_WORDS.map((word) => Number(present.has(word))),
  ]);
}
