/**
 * The inputs of a model's row. `kept` holds what is folded and was not loaded; `open` says that it was, or,
 * as a button, that it is to be.
 */
export type MatrixPart = 'own' | 'actions' | 'field' | 'records' | 'scopes' | 'kept' | 'open'

/** One input of the matrix, as its name tells it. */
export interface MatrixInput {
  part: string
  model: string
  /** Of the field, for `field` alone */
  name: string | undefined
}

/**
 * The name of an input: `permissions.actions.Film`, `permissions.field.Film.us_gross`. Any text can be the
 * name of a model or field, so what could be taken for something else is escaped.
 *
 * @param field  the form's field that the matrix is for
 */
export function inputName(field: string, part: MatrixPart, model: string, name?: string): string {
  return [field, part, ...[model, name].filter((one) => one !== undefined).map(escaped)].join('.')
}

/**
 * @returns null for an input that is not of the matrix
 */
export function readInputName(field: string, input: string): MatrixInput | null {
  if (!input.startsWith(`${field}.`)) return null
  const [part, model, name, more] = input.slice(field.length + 1).split('.')
  if (model === undefined || more !== undefined) return null
  try {
    return {
      part,
      model: decodeURIComponent(model),
      name: name === undefined ? undefined : decodeURIComponent(name),
    }
  } catch {
    return null
  }
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')
}
