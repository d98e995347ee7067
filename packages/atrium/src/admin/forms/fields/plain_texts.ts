import { writeJson } from '#crud/internals'

/**
 * Plain text of a value.
 */
export function plainTexts(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return [typeof value === 'object' ? writeJson(value) : String(value)]
}
