const OF_COLUMN = 'column:'

/* A form's inputs for itself begin with `_`, as `_version`; those for one of its fields end like `title__clear`. */
const OWN = '__'
const ESCAPED = '_:_'

/**
 * Name of a field's input, which is that of no other input of the form.
 */
export function inputName(name: string): string {
  return name.startsWith('_') || name.includes(OWN)
    ? OF_COLUMN + name.replaceAll(OWN, ESCAPED)
    : name
}

/** Name of the field of an input. */
export function fieldName(input: string): string {
  return input.startsWith(OF_COLUMN)
    ? input.slice(OF_COLUMN.length).replaceAll(ESCAPED, OWN)
    : input
}
