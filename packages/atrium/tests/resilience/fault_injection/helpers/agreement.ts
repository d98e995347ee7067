import type { Call } from './client.js'
import type { Place } from './databases.js'

export type Item = Record<string, unknown> & { id: number }

/** Reads all products through the API, including soft-deleted ones. */
export async function allProducts(call: Call): Promise<Map<number, Item>> {
  const items = new Map<number, Item>()
  for (let offset = 0; ; offset += 1000) {
    const { status, body } = await call(
      'GET',
      `/api/products?deleted=include&limit=1000&offset=${offset}`
    )
    if (status !== 200) throw new Error(`The products can't be read: ${status}`)
    for (const item of body.data) items.set(item.id, item)
    if (body.data.length < 1000) return items
  }
}

/**
 * Differences between data and log: the last logged state of a record must be the record's own, and
 * each event must have its records. [E3]
 */
export async function disagreements(
  place: Place,
  items: ReadonlyMap<number, Item>
): Promise<string[]> {
  const broken: string[] = []
  const log = await place.select(
    "select id, event_id, resource_id, action, new_state from admin_audit_log where resource_type = 'Product' order by id"
  )
  const last = new Map<number, { action: string; state: Item | null }>()
  for (const { resource_id: id, action, new_state: state } of log) {
    last.set(Number(id), { action, state: typeof state === 'string' ? JSON.parse(state) : state })
  }

  for (const [id, item] of items) {
    const logged = last.get(id)
    if (!logged) broken.push(`product ${id} is in no log`)
    else if (canonical(logged.state) !== canonical(item)) {
      broken.push(
        `product ${id} is ${canonical(item)}, and the log says ${logged.action} ${canonical(logged.state)}`
      )
    }
  }
  for (const [id, { action, state }] of last) {
    if (!items.has(id) && state !== null)
      broken.push(`product ${id} is gone, the log says ${action}`)
  }

  const [{ orphans }] = await place.select(
    'select count(*) as orphans from admin_audit_log where event_id not in (select id from admin_event_log)'
  )
  const [{ empty }] = await place.select(
    "select count(*) as empty from admin_event_log where event_type in ('CREATE', 'UPDATE', 'DELETE') and id not in (select event_id from admin_audit_log)"
  )
  if (Number(orphans) > 0) broken.push(`${orphans} records of the log belong to no event`)
  if (Number(empty) > 0) broken.push(`${empty} events of the log have no records`)
  return broken
}

/** Errors that SQLite's integrity check finds in the file. */
export async function fileErrors(place: Place): Promise<string[]> {
  if (place.server) return []
  const rows = await place.select('pragma integrity_check')
  return rows
    .map(({ integrity_check: text }) => String(text))
    .filter((text) => text !== 'ok')
    .map((text) => `the file is damaged: ${text}`)
}

function canonical(item: Item | null): string {
  return JSON.stringify(item, item === null ? undefined : Object.keys(item).toSorted())
}
