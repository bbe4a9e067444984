// Rewrites a question as what its answer may look like: a statement of the person asked about.

/** Question words with their auxiliary, and the ways people wrap a request. Longest first. */
const LEADS = [
  /^(?:hey|hi|so|ok(?:ay)?|well|quick one|please)\b[,:!]?\s*/i,
  /^(?:can|could|would|will) you (?:please )?(?:recommend|suggest|tell me|find|pick|choose|give me|help me(?: with)?|remind me)\b\s*/i,
  /^(?:any|some) (?:ideas?|suggestions?|tips?|recommendations?|advice)(?: (?:for|on|about))?\b\s*/i,
  /^(?:do you (?:know|remember|recall)|remind me|tell me)\b(?: (?:of|about))?\s*/i,
  /^(?:what|which)(?:'s| (?:kinds?|types?|sorts?) of| about)?\b\s*/i,
  /^how (?:many|much|long|often|old|far)\b\s*/i,
  /^(?:who|whose|whom|when|where|why|how)\b(?:'s)?\s*/i,
  /^(?:is|are|was|were|do|does|did|has|have|had|would|will|can|could|should|may|might|am)(?:n't)?\b\s*/i,
  /^(?:i|we|you|they|he|she|it)\b\s*/i,
];

/**
 * The content of a question without its question form. Each lead is taken off once, in order, so a question
 * that has none comes back unchanged but for its mark. O(length).
 */
export function questionContent(question: string): string {
  let content = question.trim();
  for (const lead of LEADS) content = content.replace(lead, '');
  content = content.replace(/[?!.\s]+$/, '').trim();
  return content === '' ? question.trim() : content;
}

/** Speakers that a user talks to, not about. */
const MACHINE = /^(?:the )?(?:ai|ai assistant|assistant|bot|chatbot|agent|model|system)$/i;

/**
 * Statements that may have answered a question, as turns are encoded. Of a question that names a speaker, or
 * asks about several people, the content alone: in a named voice the name outweighs the matter (IPR dev, friends:
 * R@10 .611 without the voice, .505 with it). Of a request to a machine a fact, a liking and a dislike in the
 * voice of the one who speaks with it. O(length).
 */
export function statementsFor(question: string, speakers: ReadonlySet<string>): string[] {
  const named = [...speakers].find((name) => mentions(question, name));
  const content = questionContent(named === undefined ? question : without(question, named));
  const people = [...speakers].filter((name) => !MACHINE.test(name));
  const [voice] = people;
  if (named !== undefined || voice === undefined || people.length > 1) return [`${content}.`];
  return [
    `${voice}: I ${content}.`,
    `${voice}: I really like ${content}, it is my favourite.`,
    `${voice}: I can't stand ${content}, never again.`,
  ];
}

function mentions(text: string, name: string): boolean {
  return nameFinder(name).test(text);
}

function without(text: string, name: string): string {
  return text.replace(nameFinder(name), '').replace(/\s{2,}/g, ' ');
}

function nameFinder(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?:['’]s)?(?![\\p{L}\\p{N}])`, 'iu');
}
