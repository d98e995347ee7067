import { ValueError } from '#crud'
import { listed, shown } from '#base/errors'
import type { Column } from '#base/columns/column'
import type { FieldOptions } from './view_options.js'

type Fields = Readonly<Record<string, FieldOptions>>

/* Options that are only valid for one widget */
const OF_WIDGETS = {
  currency: 'money',
  minorUnits: 'money',
  from: 'slug',
} as const

/* Types of columns that widgets support */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  money: ['integer', 'number'],
  tags: ['json', 'text'],
  markdown: ['text'],
  slug: ['text'],
  colour: ['text'],
  image: ['text', 'json'],
}

interface Columns {
  find(name: string): Pick<Column, 'kind'> | undefined
}

/**
 * Checks the options of widgets.
 *
 * @param name   name of the model
 * @param known  API names of the model's fields
 * @throws ValueError
 */
export function checkWidgets(name: string, fields: Fields, known: readonly string[]): void {
  for (const [field, options] of Object.entries(fields)) {
    const place = `${name}: fields.${field}`
    for (const [option, widget] of Object.entries(OF_WIDGETS)) {
      const isGiven = options[option as keyof typeof OF_WIDGETS] !== undefined
      if (isGiven && options.widget !== widget) {
        throw new ValueError(`${place}.${option} is for the widget '${widget}' only`)
      }
    }
    checkSuggestions(place, options)
    if (options.widget === 'money') checkCurrency(place, options.currency)
    if (options.widget === 'slug') checkSource(place, field, options.from, known)
  }
}

function checkSuggestions(place: string, { suggestions, widget = 'text' }: FieldOptions) {
  if (suggestions === undefined || widget === 'text') return
  if (widget === 'tags' && Array.isArray(suggestions)) return
  throw new ValueError(
    `${place}.suggestions is for texts of one line, and a list of texts also for the widget 'tags'`
  )
}

function checkCurrency(place: string, currency: string | undefined) {
  if (isCurrency(currency)) return
  throw new ValueError(
    `${place}.currency is ${shown(currency)}, and must be the code of a currency, as in 'EUR'`
  )
}

function checkSource(
  place: string,
  field: string,
  from: string | undefined,
  known: readonly string[]
) {
  const others = known.filter((one) => one !== field)
  if (from !== undefined && others.includes(from)) return
  throw new ValueError(
    `${place}.from is ${shown(from)}, and must be the field that the slug is made of; fields are ${listed(others)}`
  )
}

/**
 * Checks that the types of columns match their widgets. Called when the types are known.
 *
 * @throws ValueError
 */
export function checkWidgetColumns(name: string, fields: Fields, columns: Columns): void {
  for (const [field, { widget, minorUnits }] of Object.entries(fields)) {
    const kind = columns.find(field)?.kind
    const kinds = minorUnits ? ['integer'] : KINDS[String(widget)]
    if (kind === undefined || kinds === undefined || kinds.includes(kind)) continue
    const which = minorUnits ? `'money' with minorUnits` : shown(widget)
    throw new ValueError(
      `${name}: fields.${field}.widget is ${which}, which is for columns of the type ${kinds.join(' or ')}; the column's type is ${kind}`
    )
  }
}

export function isCurrency(code: unknown): code is string {
  return typeof code === 'string' && Intl.supportedValuesOf('currency').includes(code)
}
