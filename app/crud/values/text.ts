/**
 * Whether a database can keep the text as it is: no NUL, no half of a surrogate pair. [A8]
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Whether every text inside the value, however deep, can be stored, names of properties included.
 */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (Array.isArray(value)) return value.every(isStorable)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, inner]) => isStorableText(key) && isStorable(inner))
  }
  return true
}

/**
 * Characters as databases count them, not UTF-16 units: an emoji is one.
 */
export function characterCount(text: string): number {
  return [...text].length
}
