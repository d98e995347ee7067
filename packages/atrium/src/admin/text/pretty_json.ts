import { isDeeper, writeJson } from '#base/values/json'

/* Beyond this depth, most of a line is indentation. */
const DEEPEST = 32

/* Texts up to this size are always indented, and beyond the other never. */
const ALWAYS = 10_000
const LONGEST = 100_000
const MOST_GROWTH = 4

/**
 * Formats JSON for people: indented, unless that would mostly add spaces. [B17]
 */
export function prettyJson(value: unknown): string {
  const compact = writeJson(value)
  if (compact.length > LONGEST || isDeeper(compact, DEEPEST)) return compact
  const pretty = JSON.stringify(value, null, 2)
  const most = Math.max(ALWAYS, Math.min(LONGEST, MOST_GROWTH * compact.length))
  return pretty.length > most ? compact : pretty
}
