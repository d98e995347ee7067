import { isDeeper, writeJson } from '#crud/values/json'

/* Deeper than that, most of every line is its indentation. */
const DEEPEST = 32

/* So much may be indented, whatever it grows by, and no more than so much at all. */
const ALWAYS = 10_000
const LONGEST = 100_000
const MOST_GROWTH = 4

/**
 * JSON for people to read: indented, unless it would become a page of spaces. [B17]
 */
export function prettyJson(value: unknown): string {
  const compact = writeJson(value)
  if (compact.length > LONGEST || isDeeper(compact, DEEPEST)) return compact
  const pretty = JSON.stringify(value, null, 2)
  const most = Math.max(ALWAYS, Math.min(LONGEST, MOST_GROWTH * compact.length))
  return pretty.length > most ? compact : pretty
}
