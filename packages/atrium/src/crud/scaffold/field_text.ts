import { listed, ValueError } from '#base/errors'

/** Creates an error that names the field. */
export type ErrorText = (message: string) => ValueError

export const MODIFIERS = ['nullable', 'unique', 'index', 'default(VALUE)']

/** Splits `a:b(c:d):e` into its parts. Text in parentheses is not split. */
export function splitOutsideParentheses(text: string): string[] {
  return text.split(/:(?![^(]*\))/)
}

/** Parses `string(80)?` -> `string`, `['80']`, and true for the question mark. */
export function partsOf(
  text: string,
  error: ErrorText
): [name: string, parameters: string[], mark: boolean] {
  const match = /^\s*([a-z]\w*)\s*(?:\(([^()]*)\))?\s*(\??)\s*$/i.exec(text)
  if (!match) {
    throw error(
      `'${text}' can't be read; a field is name:type, then ${listed(MODIFIERS)}, each after a colon, as in number:string(20):unique`
    )
  }
  const [, name, inside, mark] = match
  const parameters = inside === undefined ? [] : inside.split(',').map((one) => one.trim())
  return [name, parameters, mark === '?']
}

/**
 * Returns the name at the beginning of an argument.
 *
 * @param text  the whole argument
 * @throws ValueError  when the part before the first colon is not a name
 */
export function nameIn(typed: string, text: string): string {
  const given = typed.trim()
  if (/^[a-z]\w*$/i.test(given)) return given
  throw new ValueError(
    `'${text}' is not a field: it begins with a name of letters, digits and _, as in number:string:unique`
  )
}
