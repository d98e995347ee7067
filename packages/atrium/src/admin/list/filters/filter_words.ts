import type { HttpContext } from '@adonisjs/core/http'
import { fromQuery } from '#base/values/from_query'
import { splitList, splitPair } from '#base/columns/condition'
import type { ReadFilter } from '#base/columns/filter'
import type { Column } from '#base/columns/column'
import type { Operator } from '#base/columns/operators'
import type { Site } from '../../views/site.js'
import { choiceOf } from '../../views/choice_options.js'
import type { ModelView } from '../../views/model_view.js'
import { referencesOf, titlesIfReadable, type Reference } from '../../relations/references.js'
import { cellsOf, cutText } from '../cell.js'
import { isPeriod } from '../list_filters.js'
import { isIdentifier } from '../table_columns.js'

/** A filter for display, such as `Major genre` and `is Drama`. */
export interface FilterWords {
  label: string
  text: string
  /** True if the filter excludes values, and records without a value, too */
  omitsEmpty: boolean
}

/** Formats a value of the URL for display. */
type Say = (text: string) => string

/* Maximum number of values of a list that are shown */
const MAX_SHOWN_VALUES = 5

/** Returns valid filters in words, with titles of references that the viewer can see. */
export async function filterWords(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  filters: readonly ReadFilter[]
): Promise<FilterWords[]> {
  const references = referencesOf(site, view)
  const titles = new Map<Column, Map<string, string>>()
  await Promise.all(
    references.map(async (reference) => {
      const keys = keysIn(filters.filter(({ column }) => column === columnOf(view, reference)))
      if (keys.length > 0) {
        titles.set(columnOf(view, reference)!, await titlesIfReadable(ctx, view, reference, keys))
      }
    })
  )
  return filters.map((filter) => {
    const column = filter.column!
    const known = titles.get(column)
    const say: Say = (text) => known?.get(text) ?? valueInWords(site, view, column, text)
    const text = predicate(site, filter, say)
    return { label: view.labelOf(column.apiName), text, omitsEmpty: omitsEmpty(filter) }
  })
}

const EXCLUDING: readonly ReadFilter['operator'][] = ['ne', 'not_in', 'not_like', 'not_ilike']
const TWO_VALUED: readonly ReadFilter['operator'][] = ['is', 'is_not', 'custom']

/** Returns true if a filter excludes values of a column, and by that the records without a value. */
export function omitsEmpty({ column, operator, text, isNegated }: ReadFilter): boolean {
  if (!column?.nullable || text === '' || TWO_VALUED.includes(operator)) return false
  if (operator === 'or' && splitList(text).includes('is:null')) return false
  return EXCLUDING.includes(operator) !== isNegated
}

/** Returns a filter, or the alternatives of a group, as one text. */
export function groupInWords(site: Site, filters: readonly FilterWords[]): string {
  const or = ` ${site.text('list.filters.says.or')} `
  const text = filters.map((one) => `${one.label} ${one.text}`).join(or)
  return filters.length > 1 ? `${site.text('list.filters.says.anyOf')}: ${text}` : text
}

/** Formats a value of a column as in cells. */
export function valueInWords(site: Site, view: ModelView, column: Column, text: string): string {
  const named = choiceOf(view, column.apiName, text)?.label
  if (named !== undefined) return cutText(named)
  if (column.kind === 'boolean' && /^(?:true|1)$/i.test(text)) return site.text('list.yes')
  if (column.kind === 'boolean' && /^(?:false|0)$/i.test(text)) return site.text('list.no')
  const isNumber = column.kind === 'integer' || column.kind === 'number'
  if (isNumber && !column.serialize) {
    const [cell] = cellsOf(column, [fromQuery(column, text) ?? text], {
      isGrouped: !isIdentifier(view, column),
      text: site.text.bind(site),
    })
    return cell.text
  }
  if (column.kind === 'date' || column.kind === 'datetime') {
    const [cell] = cellsOf(column, [text], { isGrouped: false, text: site.text.bind(site) })
    return cutText(cell.text)
  }
  return cutText(text)
}

function columnOf({ resource }: ModelView, { column }: Reference): Column | undefined {
  return resource.fields.find(({ apiName }) => apiName === column.apiName)
}

function keysIn(filters: readonly ReadFilter[]): string[] {
  return filters.flatMap(({ operator, text }) => {
    switch (operator) {
      case 'eq':
      case 'ne':
        return [text]
      case 'in':
      case 'not_in':
        return splitList(text).slice(0, MAX_SHOWN_VALUES)
      default:
        return []
    }
  })
}

/* Predicates and their opposites; the negation of any other predicate is a separate text. */
const OPPOSITES: Record<string, string> = {
  eq: 'ne',
  empty: 'filled',
  blank: 'notBlank',
  like: 'not_like',
  ilike: 'not_ilike',
}
for (const [one, other] of Object.entries(OPPOSITES)) OPPOSITES[other] = one

function predicate(site: Site, filter: ReadFilter, say: Say): string {
  const { column, operator, text, isNegated } = filter
  const kind = column!.kind
  const write = (key: string, data?: Record<string, string>) => {
    const negated = OPPOSITES[key] ?? `negated.${key}`
    return site.text(`list.filters.says.${isNegated ? negated : key}`, data)
  }
  const or = site.text('list.filters.says.or')
  switch (operator) {
    case 'or': {
      const alternatives = splitList(text).map((pair) => {
        const [one, value] = splitPair(pair)
        const alternative = { ...filter, operator: one as Operator, text: value, isNegated: false }
        return predicate(site, alternative, say)
      })
      const all = alternatives.join(` ${or} `)
      return isNegated ? write('or', { text: all }) : all
    }
    case 'in':
    case 'not_in': {
      const values = splitList(text)
      const said = values.slice(0, MAX_SHOWN_VALUES).map(say)
      const rest = values.length - said.length
      if (rest > 0) said.push(site.text('list.filters.says.more', { count: rest }))
      return write(operator === 'in' ? 'eq' : 'ne', { value: said.join(` ${or} `) })
    }
    case 'between': {
      if (isPeriod(text)) {
        return write('period', { period: site.text(`list.filters.periods.${text}`) })
      }
      const [from, to] = splitList(text).map(say)
      return write('between', { from, to })
    }
    case 'is':
    case 'is_not':
      if (text === (column!.element ? 'empty' : 'null'))
        return write(operator === 'is' ? 'empty' : 'filled')
      return write(operator === 'is' ? 'eq' : 'ne', { value: say(text) })
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const moments = { date: 'Day', datetime: 'Moment', time: 'Moment' }
      return write(operator + (moments[kind as keyof typeof moments] ?? ''), { value: say(text) })
    }
    case 'eq':
    case 'ne':
    case 'exact':
      if (text === '') return write(operator === 'ne' ? 'notBlank' : 'blank')
      return write(operator === 'ne' ? 'ne' : 'eq', { value: say(text) })
    default:
      return write(operator!, { value: cutText(text) })
  }
}
