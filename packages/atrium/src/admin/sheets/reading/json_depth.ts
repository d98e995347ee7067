/** Lists and objects within each other; no value of a table has more */
export const DEEPEST = 100

/** Values of one object, in all its lists and objects: each takes memory, however short it is written */
export const MOST_VALUES = 1_000_000

/**
 * True if a JSON text has more than so many values, before they are made. Counts commas outside of strings.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length < most) return false
  let count = 1
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const letter = text[index]
    if (letter === '"') isInString = !isInString
    else if (isInString && letter === '\\') index++
    else if (!isInString && letter === ',' && ++count > most) return true
  }
  return false
}
