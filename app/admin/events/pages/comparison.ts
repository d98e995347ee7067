import string from '@adonisjs/core/helpers/string'
import { writeJson } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import { shownValue, type ShownValue } from './logged_value.js'

/**
 * A field of a record before and after an event.
 */
export interface FieldChange {
  name: string
  label: string
  before: ShownValue
  after: ShownValue
}

/**
 * Changes of one record, by field.
 */
export interface Comparison {
  /** True if the record existed before the event, and after it */
  hasBefore: boolean
  hasAfter: boolean
  changed: FieldChange[]
  unchanged: FieldChange[]
}

type State = Record<string, unknown>

/**
 * Compares the two states of a logged record, in the order and with the labels of its view while
 * the model is in the site. Columns that are hidden today are left out even if they were logged, and those
 * that the viewer sees on some records only: the log does not tell which those were. [E4, U4]
 *
 * @param view  of the record's model, as the viewer may see it; undefined for a model that is gone
 */
export function compare(
  site: AdminSite,
  row: AdminAuditLog,
  view: ModelView | undefined
): Comparison {
  const { before, after } = statesOf(row)
  const fields = namesOf(view, before, after).map((name) => {
    const pair = { old: before?.[name] ?? null, new: after?.[name] ?? null }
    return {
      name,
      label: view?.resource.columns.find(name)
        ? view.labelOf(name)
        : string.sentenceCase(name) || name,
      before: shownValue(site, pair.old),
      after: shownValue(site, pair.new),
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

/** A custom integration may have stored the changes only. */
function statesOf({ previousState, newState, changes }: AdminAuditLog) {
  if (previousState || newState || !changes) {
    return { before: previousState as State | null, after: newState as State | null }
  }
  const pick = (side: 'old' | 'new') =>
    Object.fromEntries(Object.entries(changes).map(([name, pair]) => [name, pair?.[side]]))
  return { before: pick('old') as State, after: pick('new') as State }
}

function namesOf(view: ModelView | undefined, ...states: Array<State | null>): string[] {
  const logged = new Set(states.flatMap((state) => Object.keys(state ?? {})))
  const { columns, projection } = view?.resource ?? {}
  const all = columns?.all ?? []
  const hidden = new Set([
    ...all.filter((column) => column.hidden).map(({ apiName }) => apiName),
    ...(projection ? [...projection.hidden, ...projection.mixed.keys()] : []),
  ])
  const known = all.map(({ apiName }) => apiName).filter((name) => logged.has(name))
  return [...new Set([...known, ...logged])].filter((name) => !hidden.has(name))
}
