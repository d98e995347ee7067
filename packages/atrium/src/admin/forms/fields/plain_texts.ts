import { writeJson } from '#base/values/json'

/**
 * Plain text of a value.
 */
export function plainTexts(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return [typeof value === 'object' ? writeJson(value) : String(value)]
}
