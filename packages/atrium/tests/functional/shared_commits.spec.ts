import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Hooked } from '#tests/fixtures/events'
import { onSqlite } from '#tests/helpers/databases'
import { withoutDeferredConstraints } from '#tests/helpers/deferred_constraints'
import { post, urlOf } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { audited, listen } from '#tests/helpers/model_events'

const PATH = '/api/event-hooked'
const WRITERS = 21

const numbers = Array.from({ length: WRITERS }, (_, index) => index)

/** Of every four writers one is stored, and one fails in each way. */
const WAYS = [
  { body: (index: number) => ({ name: `kept ${index}` }), status: 201 },
  { body: () => ({ name: 4711 }), status: 422 },
  { body: (index: number) => ({ name: `refused ${index}` }), status: 500 },
  { body: () => ({ name: 'taken' }), status: 409 },
]

const wayOf = (index: number) => WAYS[index % WAYS.length]

async function names(table: string): Promise<string[]> {
  const rows = await db.from(table).orderBy('id')
  return rows.map(({ name }) => name)
}

test.group('Writes with a shared commit, over HTTP', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(withoutDeferredConstraints)
  group.each.setup(async () => {
    for (const table of ['event_hooked', 'event_plains']) await db.from(table).delete()
    await emptyEventTables()
    await Hooked.create({ name: 'taken' })
    await emptyEventTables()
    await db.from('event_plains').delete()
  })

  test('[P8, E1] each concurrent writer gets its own response, and exactly the acknowledged writes are stored, notified and logged', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    let savepoints = 0
    const count = ({ sql }: { sql: string }) => {
      if (sql.startsWith('SAVEPOINT')) savepoints++
    }
    const writer = db.connection().getWriteClient()
    writer.on('query', count)
    cleanup(() => void writer.off('query', count))

    /* Until the writers are all there, the connection is another's. */
    const first = onSqlite ? await db.transaction() : undefined
    const requested = numbers.map((index) => post(PATH, wayOf(index).body(index)))
    if (first) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      await first.rollback()
    }
    const responses = await Promise.all(requested)
    assert.deepEqual(
      responses.map(({ status }) => status),
      numbers.map((index) => wayOf(index).status)
    )
    if (onSqlite) assert.isAbove(savepoints, 0)

    const stored = responses.filter(({ status }) => status === 201).map(({ body }) => body)
    const rows = await db.from('event_hooked').whereNot('name', 'taken').orderBy('id')
    assert.sameMembers(
      rows.map(({ name }) => name),
      stored.map(({ name }) => name)
    )
    assert.sameMembers(
      rows.map(({ id }) => id),
      stored.map(({ id }) => id)
    )
    assert.sameMembers(
      await names('event_plains'),
      rows.map(({ name }) => name)
    )

    const told = await heard()
    const created = told.filter((one) => one.startsWith('created Hooked'))
    const expected = rows.map(({ id }) => `created Hooked ${id}`)
    /* One writer at a time gives the ids in the order of the commits. */
    if (onSqlite) assert.deepEqual(created, expected)
    else assert.sameMembers(created, expected)
    assert.lengthOf(told, 2 * rows.length)

    const logged = await audited('Hooked')
    assert.sameMembers(
      logged.map(({ resourceId }) => resourceId),
      rows.map(({ id }) => String(id))
    )
    const events = new Set(logged.map(({ eventId }) => eventId))
    assert.lengthOf(await db.from('admin_event_log').whereIn('id', [...events]), rows.length)
  })

  test('[P8] if a writer disconnects, its record is stored completely or not at all, and others get their responses', async ({
    assert,
  }) => {
    const responses = await Promise.all(
      numbers.map(async (index) => {
        if (index % 3 !== 0) return await post(PATH, { name: `stays ${index}` })
        const leaving = new AbortController()
        const request = fetch(urlOf(PATH), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: `leaves ${index}` }),
          signal: leaving.signal,
        })
        setTimeout(() => leaving.abort(), index)
        await request.then((response) => response.text()).catch(() => {})
        return undefined
      })
    )
    for (const response of responses) if (response) assert.equal(response.status, 201)
    /* It comes after the writes of those who left. */
    const last = await post(PATH, { name: 'last' })
    assert.equal(last.status, 201)

    const rows = await db.from('event_hooked').whereNot('name', 'taken').orderBy('id')
    const stored = rows.map(({ name }) => name)
    assert.includeMembers(
      stored,
      numbers.filter((index) => index % 3 !== 0).map((index) => `stays ${index}`)
    )
    assert.sameMembers(await names('event_plains'), stored)
    const logged = await audited('Hooked')
    assert.sameMembers(
      logged.map(({ resourceId }) => resourceId),
      rows.map(({ id }) => String(id))
    )
  })
})
