const OF_COLUMN = 'column:'

/**
 * Name of a column's input: names with a leading underscore are those of the form's own inputs, as
 * `_version`.
 */
export function inputName(name: string): string {
  return name.startsWith('_') ? OF_COLUMN + name : name
}

/** Name of the field of an input. */
export function fieldName(input: string): string {
  return input.startsWith(OF_COLUMN) ? input.slice(OF_COLUMN.length) : input
}

/** The texts of a form by the names of its fields, without the form's own inputs where these have such names. */
export function columnTexts(
  fields: ReadonlyArray<{ name: string }>,
  sent: ReadonlyMap<string, readonly string[]>
): ReadonlyMap<string, readonly string[]> {
  if (!fields.some(({ name }) => inputName(name) !== name)) return sent
  const texts = new Map([...sent].filter(([name]) => inputName(name) === name))
  for (const [name, values] of sent) {
    if (fieldName(name) !== name) texts.set(fieldName(name), values)
  }
  return texts
}
