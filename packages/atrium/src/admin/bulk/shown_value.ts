import { withoutBigInts } from '#base/values/json'

/* Long enough to recognize the value, short enough for one line. */
const LONGEST = 80

/**
 * Formats a request's value for a message: one line, cut, and without control or direction
 * characters. [B19]
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
