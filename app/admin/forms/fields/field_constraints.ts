import type { BodyField } from '#crud/schema/body_schema'
import type { SchemaRule } from '#crud/schema/object_schema'
import type { Holds } from './form_field.js'

type Attributes = Record<string, string | number>

/* Rules that look and change nothing, so that what they want can be wanted before they run. */
const LOOKING = new Set([
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
 * What a browser can check of a field by itself: never more than the schema and the column do, or it
 * would keep from the server what that takes. [B17]
 */
export function constraintsOf(field: BodyField, holds: Holds): Attributes {
  switch (holds) {
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
 * `minlength` and `maxlength` count UTF-16 units, as VineJS's own rules do; columns count characters,
 * of which an emoji is one. Such a limit is looked at by our script, and the browser only stops what
 * can't be right at all.
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
  return rules.some(({ name }) => !LOOKING.has(name))
}

/**
 * A regular expression in the form that `pattern` wants: of the whole value, under the flag `v`. One
 * that means something else there is left to the server.
 */
function patternOf(rules: readonly SchemaRule[]): string | undefined {
  const expression = rules.find(({ name }) => name === 'regex')?.options
  if (!(expression instanceof RegExp) || !/^[uvdg]*$/.test(expression.flags)) return undefined
  const { source } = expression
  /* Within brackets these are signs of their own under `v`. */
  if (!expression.flags.includes('v') && /--|&&|\\q/.test(source)) return undefined
  try {
    new RegExp(`^(?:${source})$`, 'v')
  } catch {
    return undefined
  }
  const isWhole = /^\^[^|]*[^\\|]\$$/.test(source)
  return isWhole ? source : `[^]*(?:${source})[^]*`
}
