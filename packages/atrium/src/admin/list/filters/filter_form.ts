import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { ReadFilter } from '#base/columns/filter'
import type { Site } from '../../views/site.js'
import type { Choice } from '../../views/widget.js'
import { choicesOf, MOST_CHOICES } from '../../forms/fields/choices.js'
import type { FieldView } from '../../forms/fields/shown_field.js'
import type { ModelView } from '../../views/model_view.js'
import { followed, referencesOf, type Reference } from '../../relations/references.js'
import { grouped, ungrouped } from '#base/values/numbers'
import { fitsInput, localText, zoneLabel } from '../../time/local_time.js'
import { PERIOD_NAMES } from '../list_filters.js'
import { isIdentifier } from '../table_columns.js'
import { relatedColumn } from '../read_list.js'
import { isSearchable } from '#base/columns/search_condition'
import { chosenValues, facetColumns } from './filter_bar.js'
import { suggestionsUrl } from './suggested_values.js'
import {
  acceptedOperator,
  formOf,
  offeredOperators,
  shapeOf,
  type ChosenOperator,
  type ValueShape,
} from './form_operators.js'
import { valueInWords } from './filter_words.js'

/** Names of the form's fields. The form also contains the list's parameters. */
export const FIELDS = {
  column: 'add.column',
  operator: 'add.operator',
  value: 'add.value',
  to: 'add.to',
  /** Present if the checkbox for empty cells is ticked */
  empty: 'add.empty',
  /** Text with which the values are searched, and the button that does so */
  q: 'add.q',
  find: 'add.find',
  /** Present if a form without ticked values is not an error but means no filter */
  optional: 'add.optional',
  /** Column and kind of value for which the value's fields were rendered */
  made: 'add.for',
  apply: 'add.apply',
} as const

/** The input of the filter form, which may not be complete yet. */
export interface Requested {
  column: Column
  operators: readonly ChosenOperator[]
  operator: ChosenOperator
  shape: ValueShape
  reference: Reference | null
  /** Searches the records that the column can refer to, by title; null if the column is not a reference */
  search: ((q: string) => Promise<Choice[]>) | null
  choices: readonly string[] | undefined
  /**
   * Submitted values, datetimes in the viewer's time zone; empty if the fields were rendered for another column or
   * kind of value
   */
  values: readonly string[]
  /** True if empty cells are among the ticked values */
  hasEmpty: boolean
  /** True if the form contained the fields that the operator needs */
  isComplete: boolean
}

/**
 * Parses the form for a filter.
 *
 * @param edited  filter to edit, which the form shows until a column is chosen
 * @returns null if no column is selected
 */
export async function requestedIn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  given: URLSearchParams,
  edited?: ReadFilter
): Promise<Requested | null> {
  const last = (name: string) => given.getAll(name).at(-1)
  const isBegun = given.has(FIELDS.column) || !edited
  const { fields } = view.resource
  const name = last(FIELDS.column) ?? ''
  const column = isBegun
    ? (fields.find(({ apiName }) => apiName === name) ??
      (await relatedColumn(ctx, site, view, name)))
    : editedColumn(view, edited)
  if (!column) return null
  const { reference, isTitled } = await referenceOf(ctx, site, view, column)
  /* Fixed values are offered only for columns of the list's model that are not references. */
  const isOwn = !reference && !column.related
  const choices = isOwn ? chosenValues(site, view, column) : undefined
  const offered = offeredOperators(column, {
    isChosen: choices !== undefined,
    isReference: reference !== null,
    isTitled,
    isFacet: facetColumns(site, view).includes(column),
  })
  const shown = isBegun ? null : formOf(edited, offered)
  const wanted = shown?.operator ?? acceptedOperator(column, last(FIELDS.operator), offered)
  const operator = wanted ?? offered[0]
  const operators = offered.includes(operator) ? offered : [operator, ...offered]
  const shape = shapeOf(operator)
  const isMadeFor = last(FIELDS.made) === madeFor(column, shape)
  const ofFilter = shown?.values.filter((value) => value !== null)
  return {
    column,
    operators,
    operator,
    shape,
    reference,
    search: reference && ((q) => choicesOf(ctx, reference, { q })),
    choices,
    values:
      ofFilter?.map((value) => typedValue(column, value)) ??
      (isMadeFor ? valuesIn(given, column, shape) : []),
    hasEmpty: shown ? shown.values.includes(null) : isMadeFor && given.has(FIELDS.empty),
    isComplete: isBegun && (shape === 'none' || isMadeFor),
  }
}

/** Returns the column of a filter, if it is one of the list or of related records. */
function editedColumn({ resource }: ModelView, { column }: ReadFilter): Column | null {
  return column && (column.related || resource.fields.includes(column)) ? column : null
}

/** Converts a value from the format of the API to the format of the form's fields. */
function typedValue({ kind }: Column, value: string): string {
  return kind === 'datetime' ? localText(value) : value
}

export function madeFor({ apiName }: Column, shape: ValueShape): string {
  return `${shape} ${apiName}`
}

async function referenceOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  column: Column
): Promise<{ reference: Reference | null; isTitled: boolean }> {
  const reference = referencesOf(site, view).find((one) => one.column.apiName === column.apiName)
  const seen = reference ? await followed(ctx, reference) : null
  if (!seen) return { reference: null, isTitled: false }
  if (!seen.view.resource.isLoaded) await seen.view.resource.load(seen.view.client())
  const title = seen.view.titleColumn
  return { reference: reference!, isTitled: title !== undefined && isSearchable(title) }
}

function valuesIn(given: URLSearchParams, { kind }: Column, shape: ValueShape): string[] {
  const all =
    shape === 'two'
      ? [given.getAll(FIELDS.value).at(-1) ?? '', given.getAll(FIELDS.to).at(-1) ?? '']
      : shape === 'several'
        ? given.getAll(FIELDS.value)
        : given.getAll(FIELDS.value).slice(-1)
  const isNumber = kind === 'integer' || kind === 'number'
  const isText = kind === 'text' || shape === 'several'
  return all.map((text) => (isText ? text : isNumber ? ungrouped(text.trim()) : text.trim()))
}

/**
 * Returns the fields for the value of a filter, for the field templates.
 *
 * @param error  error message of the values
 */
export async function valueFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  requested: Requested,
  error?: string
): Promise<FieldView[]> {
  const { column, shape, values, reference, choices } = requested
  const text = (key: string) => site.text(`list.filters.form.${key}`)
  const [value = '', to = ''] = values
  switch (shape) {
    case 'none':
    case 'several':
      return []
    case 'period': {
      const periods = PERIOD_NAMES.map((one) => ({ value: one, label: text(`periods.${one}`) }))
      return [select(field('value', text('period'), [value], error), periods)]
    }
    case 'text':
      return [suggested(site, view, column, field('value', text('value'), [value], error))]
    case 'two':
      return [
        typed(view, column, field('value', text('from'), [value], error)),
        typed(view, column, field('to', text('to'), [to])),
      ]
    default: {
      const one = field('value', text('value'), [value], error)
      if (reference) return [await referenceField(ctx, view, reference, one, requested)]
      if (choices) return [select(one, valueChoices(site, view, column, choices))]
      return [suggested(site, view, column, typed(view, column, one))]
    }
  }
}

/** Adds suggestions to a field if the column has any. */
function suggested(site: Site, model: ModelView, column: Column, view: FieldView): FieldView {
  const url = suggestionsUrl(site, model, column)
  return url ? { ...view, attributes: { ...view.attributes, 'data-suggest': url } } : view
}

function field(
  name: 'value' | 'to',
  label: string,
  values: readonly string[],
  error?: string
): FieldView {
  const id = `filter-${name}`
  return {
    id,
    name: FIELDS[name],
    label,
    help: undefined,
    control: 'input',
    template: undefined,
    type: 'text',
    value: values.join('\n'),
    values: [...values],
    checked: false,
    isGroup: false,
    data: undefined,
    isCode: false,
    choices: [],
    emptyChoice: undefined,
    required: false,
    attributes: {
      'required': true,
      'autocomplete': 'off',
      'aria-describedby': ids(id, false, error),
      ...(error !== undefined && { 'aria-invalid': 'true' }),
    },
    prefix: undefined,
    suffix: undefined,
    visibleWhen: undefined,
    unit: undefined,
    error,
    hasCross: false,
    clear: undefined,
    file: undefined,
    search: undefined,
  }
}

function ids(id: string, hasHelp: boolean, error: string | undefined): string | undefined {
  const all = [...(error === undefined ? [] : [`${id}-error`]), ...(hasHelp ? [`${id}-help`] : [])]
  return all.length > 0 ? all.join(' ') : undefined
}

/** Adapts a field to the type of the column. Numbers have thousands separators. */
function typed(model: ModelView, column: Column, view: FieldView): FieldView {
  switch (column.kind) {
    case 'integer':
    case 'number': {
      const inputmode = column.kind === 'integer' ? 'numeric' : 'decimal'
      const value = isIdentifier(model, column) ? view.value : grouped(view.value)
      return { ...view, value, attributes: { ...view.attributes, inputmode } }
    }
    case 'date':
      return { ...view, type: 'date' }
    case 'time':
      return { ...view, type: 'time', attributes: { ...view.attributes, step: 1 } }
    case 'datetime':
      return {
        ...view,
        unit: zoneLabel(view.value || undefined),
        ...momentInput(view),
      }
    default:
      return view
  }
}

/** Returns the browser's datetime input, unless the value has an offset that the input would drop. */
function momentInput({ value, attributes }: FieldView): Pick<FieldView, 'type' | 'attributes'> {
  const fits = value === '' || fitsInput(value)
  return fits
    ? { type: 'datetime-local', attributes: { ...attributes, step: 1 } }
    : { type: 'text', attributes }
}

function select(view: FieldView, choices: readonly Choice[]): FieldView {
  return {
    ...view,
    control: 'select',
    choices: choices.map((one) => ({ ...one, selected: view.values.includes(one.value) })),
  }
}

function valueChoices(
  site: Site,
  view: ModelView,
  column: Column,
  values: readonly string[]
): Choice[] {
  return values.map((value) => ({ value, label: valueInWords(site, view, column, value) }))
}

/** Returns a select, or a search field if there are many records. */
async function referenceField(
  ctx: HttpContext,
  view: ModelView,
  reference: Reference,
  one: FieldView,
  { column }: Requested
): Promise<FieldView> {
  const current = one.value
  const choices = await choicesOf(ctx, reference, { current })
  if (choices.length <= MOST_CHOICES) return select(one, choices)
  const title = choices.find(({ value }) => value === current)?.label ?? ''
  const url = view.url(`/filter/choices/${encodeURIComponent(column.apiName)}`)
  return { ...one, control: 'combobox', search: { url, title } }
}
