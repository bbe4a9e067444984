// A long text in pieces that can be read one after the other as if they were read together.

/** Characters of a piece. 512 of Han, the dearest script, take 3 ms to divide into words. */
const PIECE_CHARACTERS = 512;

/** Behind these no word goes on, in any script, and normalising the text moves none of them. */
const BREAK = /[\s.,;:!?。，、！？；：]/u;

/**
 * Pieces of at most 512 characters, cut behind a space or else a sign of punctuation. A run of that many characters
 * without either is cut where the piece ends, between two characters. O(text).
 */
export function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from);
    yield text.slice(from, end);
    from = end;
  }
}

function pieceEnd(text: string, from: number): number {
  const end = from + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  let breakAt = 0;
  for (let at = end - 1; at > from; at--) {
    const character = text[at] ?? '';
    if (!BREAK.test(character)) continue;
    if (/\s/u.test(character)) return at + 1;
    if (breakAt === 0) breakAt = at + 1;
  }
  if (breakAt > 0) return breakAt;
  // Not between the halves of one character.
  const next = text.charCodeAt(end);
  return next >= 0xdc00 && next < 0xe000 ? end - 1 : end;
}
