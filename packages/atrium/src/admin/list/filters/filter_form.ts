import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { AdminSite } from '../../admin_site.js'
import type { Choice } from '../../views/widget.js'
import { choicesOf, MOST_CHOICES } from '../../forms/fields/choices.js'
import type { FieldView } from '../../forms/fields/shown_field.js'
import type { ModelView } from '../../views/model_view.js'
import { followed, referencesOf, type Reference } from '../../relations/references.js'
import { grouped, ungrouped } from '#base/values/grouped_number'
import { fitsInput, zoneLabel } from '../../time/local_time.js'
import { PERIOD_NAMES } from '../list_filters.js'
import { isIdentifier } from '../is_identifier.js'
import { isSearchable } from '#base/columns/search_condition'
import { chosenValues } from './filter_bar.js'
import {
  CHOSEN_OPERATORS,
  offeredOperators,
  shapeOf,
  type ChosenOperator,
  type ValueShape,
  valueInWords,
} from './filter_words.js'

/** Names of the form's fields. The form also contains the list's parameters. */
export const FIELDS = {
  column: 'add.column',
  operator: 'add.operator',
  value: 'add.value',
  to: 'add.to',
  /** Column and kind of value for which the value's fields were rendered */
  made: 'add.for',
  apply: 'add.apply',
} as const

/** The filter in a form that may not be complete yet. */
export interface Requested {
  column: Column
  operators: readonly ChosenOperator[]
  operator: ChosenOperator
  shape: ValueShape
  reference: Reference | null
  choices: readonly string[] | undefined
  /**
   * Submitted values, datetimes in the viewer's time zone; empty if the fields were rendered for another column or
   * kind of value
   */
  values: readonly string[]
  /** True if the form contained the fields that the operator needs */
  isComplete: boolean
}

/**
 * Parses the form to add a filter.
 *
 * @returns null if no column is selected
 */
export async function requestedIn(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  given: URLSearchParams
): Promise<Requested | null> {
  const last = (name: string) => given.getAll(name).at(-1)
  const column = view.resource.fields.find(({ apiName }) => apiName === last(FIELDS.column))
  if (!column) return null
  const { reference, isTitled } = await referenceOf(ctx, site, view, column)
  const choices = reference ? undefined : chosenValues(site, view, column)
  const operators = offeredOperators(column, {
    isChosen: choices !== undefined,
    isReference: reference !== null,
    isTitled,
  })
  const wanted = CHOSEN_OPERATORS.find((one) => one === last(FIELDS.operator))
  const operator = wanted && operators.includes(wanted) ? wanted : operators[0]
  const shape = shapeOf(operator)
  const isMadeFor = last(FIELDS.made) === madeFor(column, shape)
  const values = isMadeFor ? valuesIn(given, column, shape) : []
  return {
    column,
    operators,
    operator,
    shape,
    reference,
    choices,
    values,
    isComplete: shape === 'none' || isMadeFor,
  }
}

export function madeFor({ apiName }: Column, shape: ValueShape): string {
  return `${shape} ${apiName}`
}

async function referenceOf(
  ctx: HttpContext,
  site: AdminSite,
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
  const isText = kind === 'text' && shape !== 'several'
  return all.map((text) => (isNumber ? ungrouped(text.trim()) : isText ? text : text.trim()))
}

/**
 * Returns the fields for the value of a filter, for the field templates. [L2]
 *
 * @param error  error message of the values
 */
export async function valueFields(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  requested: Requested,
  error?: string
): Promise<FieldView[]> {
  const { column, shape, values, reference, choices } = requested
  const text = (key: string) => site.text(`list.filters.form.${key}`)
  const [value = '', to = ''] = values
  switch (shape) {
    case 'none':
      return []
    case 'period': {
      const periods = PERIOD_NAMES.map((one) => ({ value: one, label: text(`periods.${one}`) }))
      return [select(field('value', text('period'), [value], error), periods)]
    }
    case 'several': {
      const some = valueChoices(site, view, column, choices ?? [])
      const several = select(field('value', text('value'), values, error), some)
      return [
        {
          ...several,
          help: text('several'),
          attributes: {
            ...several.attributes,
            'multiple': true,
            'size': Math.min(8, Math.max(2, some.length)),
            'aria-describedby': ids(several.id, true, error),
          },
        },
      ]
    }
    case 'text':
      return [field('value', text('value'), [value], error)]
    case 'two':
      return [
        typed(view, column, field('value', text('from'), [value], error)),
        typed(view, column, field('to', text('to'), [to])),
      ]
    default: {
      const one = field('value', text('value'), [value], error)
      if (reference) return [await referenceField(ctx, view, reference, one, requested)]
      if (choices) return [select(one, valueChoices(site, view, column, choices))]
      return [typed(view, column, one)]
    }
  }
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

/** Formats values for input, numbers with thousands separators. */
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
  site: AdminSite,
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
