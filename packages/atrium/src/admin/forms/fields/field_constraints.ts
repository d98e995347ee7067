import type { BodyField } from '#base/schema/body_schema'
import type { SchemaRule } from '#base/schema/object_schema'
import type { ValueType } from './form_field.js'

type Attributes = Record<string, string | number>

/*
 * Rules that check the value without changing it. HTML attributes for them are only valid if no other rule changes
 * the value.
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
 * Constraints of texts. `minlength` and `maxlength` count UTF-16 units, like the rules of VineJS; columns count
 * characters, of which an emoji is one. The site's script checks column limits, and the browser only rejects texts
 * that are too long by either count.
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
 * Returns the regular expression for the attribute `pattern`, which must match the whole value with the flag `v`.
 * Undefined if the expression would have another meaning, in which case only the server checks it.
 */
function patternOf(rules: readonly SchemaRule[]): string | undefined {
  const expression = rules.find(({ name }) => name === 'regex')?.options
  if (!(expression instanceof RegExp) || !/^[uvdg]*$/.test(expression.flags)) return undefined
  const { source } = expression
  /* These characters have a special meaning in brackets under `v`. */
  if (!expression.flags.includes('v') && /--|&&|\\q/.test(source)) return undefined
  try {
    new RegExp(`^(?:${source})$`, 'v')
  } catch {
    return undefined
  }
  const isWhole = /^\^[^|]*[^\\|]\$$/.test(source)
  return isWhole ? source : `[^]*(?:${source})[^]*`
}
