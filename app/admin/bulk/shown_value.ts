import { withoutBigInts } from '#crud/values/json'

/* Enough to know it again, and to fit into a line. */
const LONGEST = 80

/**
 * A value out of a request, for a message: in one line, cut, and without signs that hide or turn
 * round what stands beside them. [B19]
 */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : json(value)
  const plain = text
    .slice(0, 4 * LONGEST)
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/gu, '\uFFFD')
  const letters = [...plain]
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : plain
}

function json(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return JSON.stringify(withoutBigInts(value)) ?? String(value)
}
