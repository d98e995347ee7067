import type { BodyField } from '#base/schema/body_schema'
import type { SchemaRule } from '#base/schema/object_schema'
import type { ValueType } from './form_field.js'

type Attributes = Record<string, string | number>

/*
 * Rules that check the value without changing it. If a field has any other rule, the browser gets no limits and no
 * pattern, as the rule may change the value before it is checked.
 */
const CHECK_ONLY_RULES = new Set([
  'string',
  'number',
  'email',
  'url',
  'regex',
  'minLength',
  'maxLength',
  'maxCharacters',
  'fixedLength',
  'min',
  'max',
  'range',
  'positive',
  'negative',
  'withoutDecimals',
  'decimal',
  'nonNegative',
  'nonPositive',
  'inList',
  'inValues',
  'enumList',
  'alpha',
  'alphaNumeric',
  'uuid',
])

/**
 * Returns constraints for the browser as HTML attributes. They are never stricter than schema and column, so that the
 * browser rejects nothing that the server accepts.
 */
export function constraintsOf(field: BodyField, valueType: ValueType): Attributes {
  switch (valueType) {
    case 'number':
      return numberConstraints(field)
    case 'text':
      return textConstraints(field)
    case 'date':
      return { max: '9999-12-31' }
    case 'datetime':
      return { step: 1, max: '9999-12-31T23:59:59' }
    case 'time':
      return { step: 1 }
    default:
      return {}
  }
}

function numberConstraints({ json, column, rules }: BodyField): Attributes {
  const isInteger = json.type === 'integer' || column?.kind === 'integer'
  const attributes: Attributes = { step: isInteger ? 1 : 'any' }
  if (changesValue(rules)) return attributes
  if (json.minimum !== undefined) attributes.min = json.minimum
  if (json.maximum !== undefined) attributes.max = json.maximum
  return attributes
}

/**
 * Returns the constraints of a text. `minlength` and `maxlength` count UTF-16 units, like the rules of VineJS; columns
 * count characters, of which an emoji is one. So `maxlength` is at most twice the column's limit, and the site's script
 * checks the limit itself, which is in `data-most-characters`.
 */
function textConstraints({ json, column, rules }: BodyField): Attributes {
  if (changesValue(rules)) return {}
  const attributes: Attributes = {}
  const characters = [
    ...rules.filter(({ name }) => name === 'maxCharacters').map(() => json.maxLength!),
    ...(column?.maxLength ? [column.maxLength] : []),
  ]
  const units = rules.some(({ name }) => name === 'maxLength' || name === 'fixedLength')
  const mostCharacters = Math.min(...characters)
  const mostUnits = Math.min(units ? json.maxLength! : Infinity, 2 * mostCharacters)

  if (json.minLength) attributes.minlength = json.minLength
  if (Number.isFinite(mostUnits)) attributes.maxlength = mostUnits
  if (mostCharacters < mostUnits) attributes['data-most-characters'] = mostCharacters
  const pattern = patternOf(rules)
  if (pattern !== undefined) attributes.pattern = pattern
  return attributes
}

function changesValue(rules: readonly SchemaRule[]): boolean {
  return rules.some(({ name }) => !CHECK_ONLY_RULES.has(name))
}

/**
 * Returns the expression for the attribute `pattern`, which browsers match against the whole value with the flag `v`.
 * Undefined without an expression, and if it would have another meaning there; then only the server checks it.
 */
function patternOf(rules: readonly SchemaRule[]): string | undefined {
  const expression = rules.find(({ name }) => name === 'regex')?.options
  if (!(expression instanceof RegExp) || !/^[uvdg]*$/.test(expression.flags)) return undefined
  const { source } = expression
  /* These sequences have a special meaning under the flag `v`, so the expression would match other texts. */
  if (!expression.flags.includes('v') && /--|&&|\\q/.test(source)) return undefined
  try {
    new RegExp(`^(?:${source})$`, 'v')
  } catch {
    return undefined
  }
  const isWhole = /^\^[^|]*[^\\|]\$$/.test(source)
  return isWhole ? source : `[^]*(?:${source})[^]*`
}
