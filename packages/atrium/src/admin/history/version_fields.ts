import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '#base/values/json'
import { comparedFields } from '../compare/compared_fields.js'
import { COMPARE, versionUrl } from '../http/event_access.js'
import { listQueryIn, withListQuery } from '../http/list_query.js'
import { plainText } from '../text/plain_text.js'
import { momentOf } from '../time/local_time.js'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { referencesOf, titlesIfReadable } from '../relations/references.js'
import {
  type Sight,
  type State,
  inWords,
  labelOfLogged,
  loggedNames,
  shownValue,
  type ShownValue,
} from '../event_log/comparison.js'
import { formFields } from '../forms/fields/form_fields.js'
import { may } from '../permissions/may.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import { LoggedRelations } from '../event_log/readable_records.js'
import { isShortened, shortened } from '../events/event_records.js'
import { FIELDS, RESTORE, restoreUrl } from '../forms/prefill/prefill_urls.js'
import type { SeesName, ReadableHistory } from './readable_history.js'
import { isAutomaticTimestamp } from './history_entry.js'
import { isRestorable, type Version } from './version.js'

/**
 * Returns titles of the records that logged states refer to, without records that the viewer cannot see. Runs one
 * query per reference.
 *
 * @param view  the view, limited by the viewer's roles
 */
export async function referenceTitles(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  states: ReadonlyArray<State | null>,
  sees: SeesName
): Promise<NonNullable<Sight['titleOf']>> {
  const titles = new Map<string, Map<string, string>>()
  for (const reference of referencesOf(site, view)) {
    const { apiName } = reference.column
    if (!sees(apiName)) continue
    const logged = states.map((state) => state?.[apiName])
    const values = logged.filter((value) => ['number', 'string'].includes(typeof value))
    titles.set(apiName, await titlesIfReadable(ctx, view, reference, values))
  }
  return (name, value) => titles.get(name)?.get(String(value))
}

/** A field of a version, compared with the version before and the current record. */
export interface VersionField {
  name: string
  label: string
  then: ShownValue
  /** Undefined if the event did not change the value, or created or deleted the record */
  before: ShownValue | undefined
  /** Undefined if the current value is the same or unknown */
  now: ShownValue | undefined
  /** True if the form can be filled in with the value */
  isOffered: boolean
}

/** Returns the fields of a version that the user can see, and which of them can be restored. */
export async function versionFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  history: ReadableHistory,
  version: Version
) {
  const { key, record, sees } = history
  const { before, id, isBefore, row, state } = version
  const now: State | null = record && itemOf(view, record)
  const titleOf = await referenceTitles(ctx, site, view, [state, before, now], sees)
  const offered = await offeredNames(ctx, site, view, history)
  const isReported = ({ before: earlier, name, now: present }: VersionField) =>
    Boolean(earlier || present) && !isAutomaticTimestamp(view, name)
  const relations = await LoggedRelations.find(site, ctx, [row], new Map([[view.name, view]]))
  const shown = (name: string, value: unknown) => {
    const words = relations.wordsOf(view.name, name, value ?? null)
    const formatted = words === undefined ? inWords(site, view, name, value) : words
    return shownValue(site, formatted, titleOf(name, value))
  }
  const fields = loggedNames(view, state)
    .filter((name) => sees(name) && !relations.withholds(view.name, name))
    .map((name): VersionField => {
      const isChanged = !isBefore && before !== null && !isSame(before[name], state[name])
      const differs = now !== null && Object.hasOwn(now, name) && !isSame(state[name], now[name])
      return {
        name,
        label: labelOfLogged(view, name),
        then: shown(name, state[name]),
        before: isChanged ? shown(name, before[name]) : undefined,
        now: differs ? shown(name, now[name]) : undefined,
        isOffered: differs && offered.has(name),
      }
    })
  return {
    fields: fields.filter((field) => isReported(field)),
    others: fields.filter((field) => !isReported(field)),
    restore: fields.some(({ isOffered }) => isOffered)
      ? {
          url: restoreUrl(view, key, id),
          action: restoreUrl(view, key, id).split('?', 1)[0],
          name: RESTORE,
          event: id,
          fields: FIELDS,
        }
      : null,
  }
}

/** Returns the names of the fields that the user can restore on this record. */
async function offeredNames(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  { record, sees }: ReadableHistory
): Promise<ReadonlySet<string>> {
  if (!record || view.adminModel || isDeletedRecord(view, record)) return new Set()
  if (!(await may(ctx, view, 'update', record))) return new Set()
  const readOnly = await view.crud.readOnlyOn(record, view.callOptions(ctx))
  const fields = formFields(site, view, 'update').filter(
    (field) => isRestorable(field, sees) && !readOnly.has(field.name)
  )
  return new Set(fields.map(({ name }) => name))
}

/** Compares a logged value with a current one. The log contains only the beginning of long values. */
function isSame(logged: unknown, value: unknown): boolean {
  const json: unknown = JSON.parse(writeJson(value ?? null))
  if (writeJson(logged ?? null) === writeJson(json)) return true
  return isShortened(logged) && logged === shortened(json)
}

/**
 * Returns the ids of the versions that the history's form selects for a comparison; null if the request is not a
 * comparison.
 */
export function comparedVersions({ request }: HttpContext): string[] | null {
  const ids = new URLSearchParams(request.parsedUrl.query ?? '').getAll(COMPARE)
  return ids.length > 0 ? ids : null
}

/**
 * Returns two versions side by side, the earlier one first, limited to the fields that the user can see.
 *
 * @param versions  versions of the same record
 */
export async function versionComparison(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  { key, sees }: ReadableHistory,
  versions: readonly Version[]
) {
  const ordered = versions.toSorted((one, other) => one.row.id - other.row.id)
  const states = ordered.map(({ state }) => state)
  const titleOf = await referenceTitles(ctx, site, view, states, sees)
  const rows = ordered.map(({ row }) => row)
  const relations = await LoggedRelations.find(site, ctx, rows, new Map([[view.name, view]]))
  const names = loggedNames(view, ...states).filter(
    (name) => sees(name) && !relations.withholds(view.name, name)
  )
  const fields = comparedFields(
    states.map((state) =>
      names.map((name) => {
        const value = state[name] ?? null
        const words = relations.wordsOf(view.name, name, value)
        const formatted = words === undefined ? inWords(site, view, name, value) : words
        const shown = shownValue(site, formatted, titleOf(name, value))
        return { ...shown, name, label: labelOfLogged(view, name), id: writeJson(value) ?? '' }
      })
    )
  )
  const differing = fields.filter(({ differs }) => differs)
  return {
    fields: [...differing, ...fields.filter(({ differs }) => !differs)],
    count: fields.length,
    differing: differing.length,
    columns: ordered.map(({ event, id, row }) => ({
      title: momentOf(row.timestamp).text,
      href: withListQuery(versionUrl(view, key, id), listQueryIn(ctx)),
      note: event?.username ? plainText(event.username).text : undefined,
      isDeleted: false,
      without: null,
    })),
  }
}
