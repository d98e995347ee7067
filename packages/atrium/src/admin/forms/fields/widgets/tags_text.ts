import { parseJson, numberOrDigits, writeJson } from '#base/values/json'

/**
 * The tags of a stored value: a list, or a text that holds one as JSON.
 *
 * @returns null for what is not a list of texts
 */
export function tagsOf(value: unknown): string[] | null {
  const list = typeof value === 'string' ? listIn(value) : value
  const isTags = Array.isArray(list) && list.every((one) => typeof one === 'string')
  return isTags ? list : null
}

/**
 * The text of a form: one tag a line; a list that lines can't hold is JSON.
 */
export function tagsText(value: unknown): string {
  const tags = tagsOf(value)
  if (tags === null) return typeof value === 'string' ? value : writeJson(value)
  const text = tags.join('\n')
  const isPlain = tags.every((tag) => tag !== '' && tag.trim() === tag && !/[\n\r]/.test(tag))
  return isPlain && listIn(text) === null ? text : writeJson(tags)
}

/**
 * The list of a form's text, without blanks and duplicates; that of JSON as it is.
 */
export function readTags(text: string): unknown[] {
  const list = listIn(text)
  if (list !== null) return list
  const tags = text.split('\n').map((line) => line.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

function listIn(text: string): unknown[] | null {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const value = parseJson(text, numberOrDigits)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
