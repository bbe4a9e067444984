// Which preferences of a persona a dialogue tells: every one about equally often, questions' gold together.
import { between, type Random, shuffled } from '../random.js';
import type { Persona, Preference } from './corpus.js';

/** Preferences a dialogue states. */
const HAND = { low: 4, high: 6 };

/**
 * Deals `count` hands from shuffled decks, so that each preference comes up count x 5 / 20 times. Every
 * second hand starts with the gold of one of the persona's questions, so that those can be asked.
 */
export function dealHands(persona: Persona, count: number, random: Random): Preference[][] {
  const byId = new Map(persona.preferences.map((preference) => [preference.id, preference]));
  const together = persona.questions
    .filter(({ gold }) => gold.length > 0 && gold.length <= HAND.high)
    .map(({ gold }) => gold);
  let deck: Preference[] = [];
  const draw = (hand: readonly Preference[]): Preference => {
    if (deck.every((preference) => hand.includes(preference))) deck = shuffled(persona.preferences, random);
    const position = deck.findIndex((preference) => !hand.includes(preference));
    const [drawn] = deck.splice(position, 1);
    if (drawn === undefined) throw new RangeError(`${persona.id} has too few preferences`);
    return drawn;
  };
  return Array.from({ length: count }, (_, number) => {
    const size = Math.min(between(random, HAND.low, HAND.high), persona.preferences.length);
    const wanted = number % 2 === 1 ? together[((number - 1) / 2) % Math.max(1, together.length)] : undefined;
    const hand = (wanted ?? []).flatMap((id) => byId.get(id) ?? []);
    deck = deck.filter((preference) => !hand.includes(preference));
    while (hand.length < size) {
      const drawn = draw(hand);
      hand.push(drawn);
      const trap = trapOf(persona, drawn);
      if (trap !== undefined && !hand.includes(trap) && hand.length < HAND.high) hand.push(trap);
    }
    return hand;
  });
}

/** Someone else's preference that could be mistaken for this one. */
function trapOf(persona: Persona, { id }: Preference): Preference | undefined {
  return persona.preferences.find(({ trapFor }) => trapFor === id);
}
