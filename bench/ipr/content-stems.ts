// The content of a text as stems: what an implicit query must not have in common with its gold statement.
import { termsOf } from '../../src/text/terms.js';

/**
 * Words without content, before stemming: function words, and verbs and nouns so general that sharing
 * one says nothing ('get', 'thing', 'tonight').
 */
const EMPTY_WORDS =
  `a about above after again against all am an and any are aren't as at be because been before
  being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down
  during each few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's
  hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more
  most mustn't my myself no nor not of off on once only or other ought our ours ourselves out over own same
  shan't she she'd she'll she's should shouldn't so some such than that that's the their theirs them themselves
  then there there's these they they'd they'll they're they've this those through to too under until up very was
  wasn't we we'd we'll we're we've were weren't what what's when when's where where's which while who who's whom
  why why's with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves will just
  also get got gets getting go goes going gone went one ones two three much many lot lots thing things something
  anything nothing everything someone anyone everyone nobody somebody really quite rather still even ever never
  always maybe perhaps like well now yes ok okay oh um hmm please thanks thank way back though although since
  without within around across per via whatever whenever whoever may might shall must need needs say says said
  tell know think make makes made take takes took come comes came want wants give gives put keep see look good
  bad new old right left day today tonight tomorrow yesterday week weekend month year time times first last next
  another every else already yet soon later people person it'll that'll who'll y'all gonna wanna gotta dont cant
  ive im youre`.split(/\s+/);
const EMPTY_STEMS = new Set(EMPTY_WORDS.flatMap(termsOf));

/** Stems of the words with content. */
export function contentStems(text: string): Set<string> {
  return new Set(termsOf(text).filter((stem) => stem.length > 1 && !EMPTY_STEMS.has(stem)));
}

export function sharedStems(a: string, b: string): string[] {
  const second = contentStems(b);
  return [...contentStems(a)].filter((stem) => second.has(stem));
}
