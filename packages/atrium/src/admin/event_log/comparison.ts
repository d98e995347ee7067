import string from '@adonisjs/core/helpers/string'
import { writeJson } from '#base/values/json'
import type { Column } from '#base/columns/column'
import type { Site } from '../views/site.js'
import { plainItems, shorten, visibleText } from '../text/plain_text.js'
import { prettyJson } from '../text/json_text.js'
import { widgetShow } from '../forms/fields/widgets/widget_cells.js'
import { cellsOf } from '../list/cell.js'
import { isIdentifier, withUnits } from '../list/table_columns.js'
import { choiceOf } from '../views/choice_options.js'
import type { ModelView } from '../views/model_view.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import { clockTime, writtenTime } from '../time/local_time.js'
import { namesSeen, type SeesName } from '../history/readable_history.js'
import type { LoggedRelations } from './readable_records.js'

/** A field value for display */
export interface ShownValue {
  kind: 'null' | 'yes' | 'no' | 'number' | 'text' | 'data'
  text: string
  /** The complete text, if `text` is shortened */
  whole?: string
  /** Size of the value, such as `10,000 characters` */
  size?: string
}

const LONGEST = 200
const MOST_LINES = 6

/**
 * Formats a value from the log. For a long value, `whole` contains the complete text.
 *
 * @param title  title of the record that the value refers to, if the viewer can see the record
 */
export function shownValue(site: Site, value: unknown, title?: string): ShownValue {
  if (title !== undefined) return long(site, 'text', title)
  switch (typeof value) {
    case 'undefined':
      return { kind: 'null', text: site.text('events.null') }
    case 'boolean':
      return {
        kind: value ? 'yes' : 'no',
        text: site.text(value ? 'events.yes' : 'events.no'),
      }
    case 'number':
      return { kind: 'number', text: String(value) }
    case 'object':
      if (value === null) return { kind: 'null', text: site.text('events.null') }
      return list(site, value) ?? long(site, 'data', prettyJson(value))
    default:
      if (value === '') return { kind: 'null', text: site.text('events.blank') }
      return long(site, 'text', String(value))
  }
}

/** Joins items by commas, unless an item contains a comma. */
function list(site: Site, value: unknown): ShownValue | null {
  const items = plainItems(value)
  if (!items || items.some((item) => item === '' || item.includes(','))) return null
  return items.length > 0 ? long(site, 'text', items.join(', ')) : null
}

function long(site: Site, kind: 'text' | 'data', stored: string): ShownValue {
  const text = visibleText(stored)
  const lines = text.split('\n', MOST_LINES + 1)
  const short = shorten(lines.slice(0, MOST_LINES).join('\n'), LONGEST)
  if (short === text) return { kind, text }
  const shown = short.endsWith('…') ? short : `${short}…`
  const count = [...text].length
  return { kind, text: shown, whole: text, size: site.text('events.characters', { count }) }
}

/** A field of a record before and after an event. */
interface FieldChange {
  name: string
  label: string
  before: ShownValue
  after: ShownValue
}

/** Changes of one record by an event, by field. */
export interface Comparison {
  /** True if the record existed before or after the event */
  hasBefore: boolean
  hasAfter: boolean
  changed: FieldChange[]
  unchanged: FieldChange[]
}

/* Numbers with more decimals are shown as stored, as lists would round them. */
const SHOWN_EXACTLY = /^-?\d+(\.\d{1,6})?$/

export type State = Record<string, unknown>

type LoggedStates = Pick<AdminAuditLog, 'previousState' | 'newState' | 'changes'>

/** What the viewer can see of a record: its fields, and the titles of related records */
export interface Sight {
  /** Returns true for the name of a visible field. Default: the fields that the viewer can see on every record */
  sees?: SeesName
  /**
   * Returns the title of the record that a field refers to; undefined if the field is not a reference or the viewer
   * cannot see the record
   */
  titleOf?: (name: string, value: unknown) => string | undefined
  /** Many-to-many relations in the log, limited to what the viewer can see */
  relations?: LoggedRelations
}

/**
 * Compares the two states of a logged record. Fields have the order and labels of the view if the model is still in
 * the site. Columns that are hidden now are left out even if they were logged, and so is all that the viewer cannot
 * see.
 *
 * @param view   view of the record's model, limited by the viewer's roles; undefined if the model no longer exists
 * @param sight  default: without titles and relations
 */
export function compare(
  site: Site,
  row: LoggedStates & Pick<AdminAuditLog, 'resourceType'>,
  view: ModelView | undefined,
  { sees = namesSeen(view), titleOf, relations }: Sight = {}
): Comparison {
  const { before, after } = statesOf(row)
  const fields = loggedNames(view, before, after)
    .filter((name) => sees(name) && !relations?.withholds(row.resourceType, name))
    .map((name) => {
      const shown = (value: unknown = null) => {
        const words = relations?.wordsOf(row.resourceType, name, value)
        return words === undefined ? value : words
      }
      const pair = { old: shown(before?.[name]), new: shown(after?.[name]) }
      const show = (value: unknown) =>
        shownValue(site, inWords(site, view, name, value), titleOf?.(name, value))
      return {
        name,
        label: labelOfLogged(view, name),
        before: show(pair.old),
        after: show(pair.new),
        isChanged: writeJson(pair.old) !== writeJson(pair.new),
      }
    })
  return {
    hasBefore: before !== null,
    hasAfter: after !== null,
    changed: fields.filter(({ isChanged }) => isChanged),
    unchanged: fields.filter(({ isChanged }) => !isChanged),
  }
}

function isField({ manyToMany, resource }: ModelView, name: string): boolean {
  return resource.columns.find(name) !== undefined || manyToMany.some((one) => one.name === name)
}

/** Returns the states before and after the event. A custom integration may have stored only the changes. */
export function statesOf({ previousState, newState, changes }: LoggedStates) {
  if (previousState || newState || !changes) {
    return { before: previousState as State | null, after: newState as State | null }
  }
  const pick = (side: 'old' | 'new') =>
    Object.fromEntries(Object.entries(changes).map(([name, pair]) => [name, pair?.[side]]))
  return { before: pick('old') as State, after: pick('new') as State }
}

/** Returns the label of a logged field, which the model may no longer have. */
export function labelOfLogged(view: ModelView | undefined, name: string): string {
  return view && isField(view, name) ? view.labelOf(name) : string.sentenceCase(name) || name
}

/** Returns the field names of logged states, in the order of the model. */
export function loggedNames(view: ModelView | undefined, ...states: Array<State | null>): string[] {
  const logged = new Set(states.flatMap((state) => Object.keys(state ?? {})))
  const all = view?.resource.columns.all ?? []
  const known = all.map(({ apiName }) => apiName).filter((name) => logged.has(name))
  return [...new Set([...known, ...logged])]
}

/**
 * Formats a logged choice, date, datetime or number as in lists, datetimes in the viewer's time zone and with seconds.
 * Other values are returned unchanged.
 */
export function inWords(
  site: Site,
  view: ModelView | undefined,
  name: string,
  value: unknown
): unknown {
  const column = view?.resource.isLoaded ? view.resource.columns.find(name) : undefined
  if (!column) return value
  const label = choiceOf(view!, name, value)?.label
  if (label !== undefined) return label
  const isNumeric = column.kind === 'integer' || column.kind === 'number'
  return isNumeric ? numberInWords(site, view!, column, value) : timeInWords(column, value)
}

function numberInWords(site: Site, view: ModelView, column: Column, value: unknown): unknown {
  if (column.serialize || !SHOWN_EXACTLY.test(String(value))) return value
  const text = site.text.bind(site)
  const own = widgetShow(view, column, text)
  const options = { isGrouped: !isIdentifier(view, column), own, text }
  const [cell] = cellsOf(column, [value], options)
  return own ? cell.text : withUnits(view, column.apiName, cell).text
}

function timeInWords(column: Column, value: unknown): unknown {
  if (column.serialize || typeof value !== 'string') return value
  if (column.kind === 'date') return writtenTime(value) ?? value
  if (column.kind !== 'datetime') return value
  const time = clockTime(value)?.time ?? value
  return writtenTime(time) ?? time
}
