import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import { writeJson } from '#base/values/json'
import type { WithDatabase } from '../../config/database_config.js'
import type { Site } from '../../views/site.js'
import { lastPage } from '../../event_log/event_filters.js'
import { EventReader, type HistoryOf } from '../../event_log/event_reader.js'
import { historyLink } from '../../http/event_access.js'
import type { ModelView } from '../../views/model_view.js'
import { guardOf } from '../../identity/admin_guard.js'
import type { Flash } from '../../http/flash.js'

/* Milliseconds by which the clocks of processes may differ */
const TOLERANCE = 5000

/* Maximum number of pages of the history that are read */
const MOST_PAGES = 10

/* Length of the JSON up to which the log never shortens a value */
const LONGEST_COMPARED = 200

/** Represents the signed-in user as the editor of a change, made in another window */
export const ONESELF = Symbol('oneself')

export type Editor = string | typeof ONESELF

/**
 * Returns the users who last changed the fields of a record since a time, by API name. Changes that are not in the
 * log are missing. Empty for a viewer who cannot read the record's history.
 *
 * @param record  the current record
 * @param since   time in milliseconds
 */
export async function otherEditors(
  ctx: HttpContext,
  site: WithDatabase,
  view: ModelView,
  record: LucidRow,
  since: number
): Promise<Map<string, Editor>> {
  const { key } = view.resource
  const id = key.of(record)
  if (historyLink(ctx, view, id) === null) return new Map()
  const { owner } = guardOf(ctx).signedInOrFail()
  const own = { resourceType: view.name, resourceId: key.toPath(id).slice(1) }
  const editors = new Map<string, Editor | undefined>()
  for await (const { event: { userId, username } = {}, changes } of changesSince(
    site,
    own,
    since
  )) {
    const editor = userId === owner.id ? ONESELF : (username ?? undefined)
    for (const [name, change] of Object.entries(changes ?? {})) {
      if (editors.has(name)) continue
      editors.set(name, isStill(view, record, name, change.new) ? editor : undefined)
    }
  }
  return new Map([...editors].flatMap(([name, one]) => (one ? [[name, one] as const] : [])))
}

/** Yields the logged changes of a record since a time, newest first. */
async function* changesSince(site: WithDatabase, record: HistoryOf, since: number) {
  const reader = new EventReader(site.dbConfig)
  for (let number = 1; number <= MOST_PAGES; number++) {
    const { events, page, rows, total } = await reader.history(record, number)
    for (const { eventId, timestamp, changes } of rows) {
      if (timestamp.toMillis() < since - TOLERANCE) return
      yield { event: events.get(eventId), changes }
    }
    if (page >= lastPage(total)) return
  }
}

/**
 * Returns false if the logged value has been overwritten without a log entry. Long values are not compared, as the
 * log shortens them.
 */
function isStill(view: ModelView, record: LucidRow, name: string, logged: unknown): boolean {
  const column = view.resource.columns.find(name)
  if (!column) return true
  const attributes = record as unknown as Record<string, unknown>
  const json = writeJson(attributeValue(column, attributes))
  return json.length > LONGEST_COMPARED || json === writeJson(logged)
}

/**
 * Adds a sentence to the success message for each user whose changes the saved form includes.
 *
 * @param names    API names of the fields with these changes
 * @param editors  users by API name, as far as known
 */
export function withStoredNotes(
  site: Site,
  view: ModelView,
  message: Flash,
  names: readonly string[],
  editors: ReadonlyMap<string, Editor>
): Flash {
  const byEditor = Map.groupBy(names, (name) => editors.get(name))
  const notes = [...byEditor].map(([editor, theirs]) => {
    const fields = theirs.map((name) => view.labelOf(name)).join(', ')
    const data = { fields, count: theirs.length }
    if (editor === undefined) return site.text('conflict.preservedOfOther', data)
    if (editor === ONESELF) return site.text('conflict.preservedOfYours', data)
    return site.text('conflict.preservedOf', { ...data, name: editor })
  })
  const text = notes.map((note) => ` ${note}`).join('')
  if (text === '') return message
  const { record } = message
  return {
    ...message,
    text: message.text + text,
    record: record && { ...record, parts: [...record.parts, { text, isolated: false }] },
  }
}
