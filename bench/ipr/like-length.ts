// When two texts are of like length: what one of them is told apart by, the other has too.

/** Longest over shortest, in words. */
const MOST_APART = 1.5;

export function wordCount(text: string): number {
  return text.trim().split(/\s+/).length;
}

export function likeLength(a: string, b: string): boolean {
  const [first, second] = [wordCount(a), wordCount(b)];
  return Math.max(first, second) <= MOST_APART * Math.min(first, second);
}
