/** True if every database can store the text unchanged: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** True if every text inside the value, including names of properties, can be stored. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (Array.isArray(value)) return value.every(isStorable)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, inner]) => isStorableText(key) && isStorable(inner))
  }
  return true
}

/** Returns the number of characters as databases count them, not UTF-16 units: an emoji is one character. */
export function characterCount(text: string): number {
  return [...text].length
}
