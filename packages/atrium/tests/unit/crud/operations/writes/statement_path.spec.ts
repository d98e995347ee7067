import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import { BaseModel, beforeSave, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { AdminAuditLog, type AdminEvent } from '#admin'
import { DatabaseIntegration } from '#admin/events/database_integration'
import { LucidCrud, ModelCreated, ModelUpdated, observeWrites, type Write } from '#crud'
import { EventDispatcher } from '#admin/events/event_dispatcher'
import { EventInParts, nothingLogged } from '#admin/events/long_action'
import { watch } from '#crud/events/record_hooks'
import { watchedResourceOf } from '#crud/events/observers'
import { systemActor } from '#base/actor'
import { omit } from '#crud/operations/writes/written_fields'
import { Resource } from '#crud/resource/resource'
import { strange } from '#tests/helpers/actors'
import { Plain } from '#tests/fixtures/events'
import { Sample } from '#tests/fixtures/samples'
import { onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'
import { withoutDeferredConstraints } from '#tests/helpers/deferred_constraints'
import { emptyEventTables } from '#tests/helpers/events'
import { audited, listen, loggedEvents } from '#tests/helpers/model_events'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !one.includes('\0'))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const scalars = {
  name: text,
  longText: maybe(text),
  count: maybe(fc.integer()),
  big: maybe(fc.constantFrom(0, -7, '9007199254740993')),
  ratio: maybe(fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8)),
  active: maybe(fc.boolean()),
  token: maybe(fc.uuid()),
  status: fc.constantFrom('draft', 'sent', 'paid'),
  secret: maybe(fc.uuid()),
}
const changed = fc.record(scalars, { requiredKeys: [] })
const created = fc.record(
  {
    ...scalars,
    day: maybe(fc.constant(DateTime.fromISO('2026-02-03', { zone: 'utc' }))),
    moment: maybe(fc.constant(DateTime.fromISO('2026-02-03T04:05:06Z', { zone: 'utc' }))),
    bytes: maybe(fc.uint8Array({ maxLength: 4 }).map((one) => Buffer.from(one))),
  },
  { requiredKeys: ['name'] }
)

/* Classes of this file, whose triggers are not cached yet: on PostgreSQL all tables of the tests have one. */
class Bare extends Plain {
  static table = 'event_plains'
}
class BareSample extends Sample {
  static table = 'samples'
}
for (const model of [Bare, BareSample]) {
  model.boot()
  watch(new Resource({ model }))
}
const crud = new LucidCrud(Bare)

/* Records are attached to a record, even none of them. */
const BY_RECORD = { related: new Map() }

const TABLES = ['event_plains', 'samples']

/** The rows of the log, without what differs between two writes of the same. */
async function logged(id: unknown) {
  const events = await loggedEvents()
  const rows = await audited('BareSample')
  const own = (state: any) =>
    state && { ...state, id: undefined, created_at: undefined, updated_at: undefined, secret: 0 }
  return rows
    .filter(({ resourceId }) => resourceId === String(id))
    .map((row) => {
      const event = events.find((one) => one.id === row.eventId)!
      const changes = omit(row.changes, ['id', 'created_at', 'updated_at'])
      const { reversal } = row
      return {
        type: event.eventType,
        user: event.username,
        session: event.sessionId,
        resource: [event.resourceType, event.resourceId === String(id)],
        action: row.action,
        before: own(row.previousState),
        after: own(row.newState),
        changes,
        before_undo: own(reversal?.before ?? null),
        lack: reversal?.lack,
      }
    })
}

/** The first word of each statement. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const queries = await queriesOf(work)
  return queries.map((sql) => sql.split(' ')[0].toLowerCase())
}

/* Knex ends BEGIN and COMMIT with a semicolon. */
const takesLucid = (statements: string[]) => statements.includes('begin;')

test.group('Writes by prepared statements', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(withoutDeferredConstraints)
  group.setup(async () => {
    const switchTriggers = async (way: 'enable' | 'disable') => {
      for (const table of onPostgres ? TABLES : []) {
        await db.rawQuery(`alter table ${table} ${way} trigger user`)
      }
    }
    await switchTriggers('disable')
    await watchedResourceOf(Bare)!.load()
    await watchedResourceOf(BareSample)!.load()
    return () => switchTriggers('enable')
  })
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
    await emptyEventTables()
  })

  test('[P8.11, E3, E4] row, log, undo data and events equal those of a saved model instance, with and without a transaction', async ({
    assert,
    cleanup,
  }) => {
    const samples = new LucidCrud(BareSample)
    const { events } = listen(cleanup)
    const told = () =>
      events.splice(0).map(({ constructor, changes }) => [constructor.name, changes])
    const stored = async (id: unknown) => {
      const row = await db
        .from('samples')
        .where('id', id as number)
        .firstOrFail()
      return { ...row, id: 0, created_at: 0, updated_at: 0, secret: row.secret === null }
    }
    const options = { actor: strange({ kind: 'admin', user: { id: 1, username: 'ada' } }) }
    const origin = { requestId: 'r', ip: '192.0.2.1', userAgent: 'T', sessionId: 41 }
    const property = fc.asyncProperty(created, changed, changed, async (first, second, third) => {
      await db.from('samples').delete()
      await emptyEventTables()
      const write = async (
        within: (work: (client?: any) => Promise<any>) => Promise<any>,
        path: object = {}
      ) => {
        const secrets = { ...(first.secret && { secret: crypto.randomUUID() }) }
        const own = (client: any) => ({ ...options, ...path, client, origin })
        const item = await within((client) => samples.create({ ...first, ...secrets }, own(client)))
        for (const values of [second, third]) {
          const next = values.secret ? { ...values, secret: crypto.randomUUID() } : values
          await within((client) => samples.update(item.id, next, own(client)))
        }
        await new Promise((resolve) => setImmediate(resolve))
        return { item, row: await stored(item.id), log: await logged(item.id), told: told() }
      }
      const lucid = await write((work) => work(), BY_RECORD)
      const own = (one: any) =>
        JSON.parse(JSON.stringify(one), (key, value) => (OWN.has(key) ? undefined : value))
      for (const within of [(work: any) => work(), (work: any) => db.transaction(work)]) {
        const byStatements = await write(within)
        assert.deepEqual(byStatements.row, lucid.row)
        assert.deepEqual(byStatements.log, lucid.log)
        assert.deepEqual(own(byStatements.told), own(lucid.told))
        assert.deepEqual(own(byStatements.item), own(lucid.item))
      }
    })
    await fc.assert(property, { numRuns: runs(24), endOnFailure: true })
  }).timeout(60_000)

  test('[E4] a logged create runs three statements and a logged update four, and on PostgreSQL both run two', async ({
    assert,
  }) => {
    const { id } = await crud.create({ name: 'a' })
    const create = await statementsOf(() => crud.create({ name: 'b' }))
    const log = onPostgres ? ['with'] : ['insert', 'insert']
    assert.deepEqual(create, ['begin', 'insert', ...log, 'commit'])
    const update = await statementsOf(() => crud.update(id, { name: 'c' }))
    const change = onPostgres ? ['with'] : ['select', 'update']
    assert.deepEqual(update, ['begin', ...change, ...log, 'commit'])
    /* A record of Lucid would not be saved, as nothing of it has changed. */
    const repeated = await statementsOf(() =>
      db.transaction((client) => crud.update(id, { name: 'c' }, { client }))
    )
    assert.includeMembers(repeated, change)
  }).skip(onMysql, 'MariaDB does not return written rows')

  test('[E4] concurrent updates of one record are logged one after another, each with the state before it', async ({
    assert,
  }) => {
    const { id } = await crud.create({ name: 'name 0' })
    const names = Array.from({ length: 20 }, (_, index) => `name ${index + 1}`)
    await Promise.all(names.map((name) => crud.update(id, { name })))
    const all = await audited('Bare')
    const rows = all.filter(({ action }) => action === 'UPDATE')
    const next = new Map(rows.map((row) => [row.previousState!.name, row.newState!.name]))
    const chain = ['name 0']
    for (let name = next.get('name 0'); name; name = next.get(name)) chain.push(name as string)
    assert.sameMembers(chain, ['name 0', ...names])
    assert.equal(((await crud.get(id)) as any).name, chain.at(-1))
  })

  test('[E4] an update that waits for another transaction logs the state which that transaction has committed', async ({
    assert,
  }) => {
    const { id } = await crud.create({ name: 'a' })
    const other = await db.transaction()
    await other
      .from('event_plains')
      .where('id', id as number)
      .update({ name: 'b' })
    const update = crud.update(id, { name: 'c' })
    await setTimeout(100)
    await other.commit()
    await update
    const rows = await audited('Bare')
    const row = rows.find(({ action }) => action === 'UPDATE')!
    assert.equal(row.previousState!.name, 'b')
    assert.equal(row.newState!.name, 'c')
  })

  test("[E4] a write that can't be logged is not stored and not reported", async ({
    assert,
    cleanup,
  }) => {
    const { id } = await crud.create({ name: 'a' })
    const { heard } = listen(cleanup)
    const { logByStatements } = DatabaseIntegration.prototype
    cleanup(() => void (DatabaseIntegration.prototype.logByStatements = logByStatements))
    DatabaseIntegration.prototype.logByStatements = async function (...args) {
      await logByStatements.apply(this, args)
      throw new Error('no log')
    }
    await assert.rejects(
      () => crud.create({ name: 'b' }),
      'The write was rolled back, as it could not be logged'
    )
    await assert.rejects(
      () => crud.update(id, { name: 'b' }),
      'The write was rolled back, as it could not be logged'
    )
    assert.deepEqual(await heard(), [])
    const rows = await db.from('event_plains')
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['a']
    )
    assert.lengthOf(await audited('Bare'), 1)
    DatabaseIntegration.prototype.logByStatements = logByStatements
    await crud.update(id, { name: 'c' })
    assert.lengthOf(await audited('Bare'), 2)
  }).skip(onMysql, 'MariaDB does not return written rows')

  test('[E4, P8.7] concurrent writes are logged together on SQLite, each in an event with its own actor', async ({
    assert,
  }) => {
    const names = Array.from({ length: 25 }, (_, index) => `name ${index}`)
    const actor = (name: string) => systemActor(`test:${name.slice(-2).trim()}`)
    const statements = await statementsOf(() =>
      Promise.all(names.map((name) => crud.create({ name }, { actor: actor(name) })))
    )
    const events = await loggedEvents()
    const rows = await audited('Bare')
    assert.lengthOf(rows, names.length)
    for (const { eventId, newState } of rows) {
      const { username, resourceId } = events.find(({ id }) => id === eventId)!
      assert.equal(username, `system: ${actor(newState!.name as string).name}`)
      assert.equal(resourceId, String(newState!.id))
    }
    const inserts = statements.filter((word) => word === 'insert').length
    if (onSqlite) assert.isBelow(inserts, 2 * names.length)
  })

  test('[E4, P8.7] if one of several concurrent writes cannot be logged, the others are stored, logged and reported once', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    const { logByStatements } = DatabaseIntegration.prototype
    cleanup(() => void (DatabaseIntegration.prototype.logByStatements = logByStatements))
    DatabaseIntegration.prototype.logByStatements = async function (events, ...args) {
      const ids = await logByStatements.call(this, events, ...args)
      const states = events.flatMap(({ records }) => records.map(({ newState }) => newState))
      if (states.some((state) => state?.name === 'name 7')) throw new Error('no log')
      return ids
    }
    const names = Array.from({ length: 15 }, (_, index) => `name ${index}`)
    const outcomes = await Promise.allSettled(names.map((name) => crud.create({ name })))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      names.map((name) => (name === 'name 7' ? 'rejected' : 'fulfilled'))
    )
    const others = names.filter((name) => name !== 'name 7')
    const rows = await db.from('event_plains')
    assert.sameMembers(
      rows.map(({ name }) => name),
      others
    )
    const log = await audited('Bare')
    assert.sameMembers(
      log.map(({ newState }) => newState!.name),
      others
    )
    assert.lengthOf(await loggedEvents(), others.length)
    assert.lengthOf(await heard(), others.length)
  }).skip(onMysql, 'MariaDB does not return written rows')

  test("[P8.11] with a custom observer, a hook or a caller's transaction, a write runs in a Lucid transaction", async ({
    assert,
    cleanup,
  }) => {
    const { id } = await crud.create({ name: 'a' })
    const seen: Write[] = []
    const stop = observeWrites({
      record: async (writes, client) => {
        assert.isTrue(client.isTransaction)
        seen.push(...writes)
      },
    })
    cleanup(stop)
    assert.isTrue(takesLucid(await statementsOf(() => crud.update(id, { name: 'b' }))))
    assert.isTrue(takesLucid(await statementsOf(() => crud.create({ name: 'b' }))))
    assert.lengthOf(seen, 2)
    stop()

    class Hooked extends BaseModel {
      static table = 'event_plains'

      @column({ isPrimary: true })
      declare id: number

      @column()
      declare name: string

      @beforeSave()
      static async count(record: Hooked) {
        assert.isTrue(record.$trx?.isTransaction)
        record.name = record.name.toUpperCase()
      }
    }
    const hooked = new LucidCrud(Hooked)
    assert.isTrue(takesLucid(await statementsOf(() => hooked.update(id, { name: 'c' }))))
    assert.deepInclude(await crud.get(id), { name: 'C' })
  })

  test('[P8.10] LucidCrud checks its model and methods for hooks only once, at the first write', async ({
    assert,
  }) => {
    const counted = new LucidCrud(Bare)
    let count = 0
    Object.defineProperty(counted, 'afterCreate', {
      get: () => {
        count++
        return LucidCrud.prototype.afterCreate
      },
    })
    await counted.create({ name: 'a' })
    assert.equal(count, 1)
    await counted.create({ name: 'b' })
    await db.transaction((client) => counted.create({ name: 'c' }, { client }))
    assert.equal(count, 1)
  }).skip(onMysql, 'MariaDB does not return written rows')

  test('[E1] the record in an event can be saved again by a listener', async ({
    assert,
    cleanup,
  }) => {
    const { events } = listen(cleanup)
    const { id } = await crud.create({ name: 'a' })
    await crud.update(id, { name: 'b' })
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      events.map((event) => event.constructor),
      [ModelCreated, ModelUpdated]
    )
    const record = events[1].record as Plain
    assert.equal(record.name, 'b')
    record.name = 'c'
    await record.save()
    assert.deepInclude(await crud.get(id), { name: 'c' })
  })

  test('[E2] an integration with an overridden log method gets each write as an event', async ({
    assert,
    cleanup,
  }) => {
    class Own extends DatabaseIntegration {
      events: AdminEvent[] = []

      async log(event: AdminEvent) {
        this.events.push(event)
        return 0
      }
    }
    const own = new Own()
    cleanup(observeWrites(new EventDispatcher(own)))
    const { id } = await crud.create({ name: 'a' })
    await crud.update(id, { name: 'b' })
    assert.deepEqual(
      own.events.map(({ type }) => type),
      ['CREATE', 'UPDATE']
    )
  })

  test('[D3] several writes of a long action are logged as parts of one event', async ({
    assert,
  }) => {
    const actor = strange({ kind: 'admin', user: { id: 1, username: 'ada' } })
    const origin = { requestId: 'r', ip: '192.0.2.1', userAgent: 'T' }
    const action = new EventInParts(nothingLogged(null)).of({ actor, origin })
    await crud.create({ name: 'a' }, { actor, origin })
    await crud.create({ name: 'b' }, { actor, origin })
    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType }) => eventType),
      ['CREATE']
    )
    assert.deepEqual(events[0].details, { count: 2 })
    assert.containSubset(action.logged, { event: events[0].id, model: 'Bare', count: 2 })
    assert.equal(
      await AdminAuditLog.query()
        .where('eventId', events[0].id)
        .count('* as total')
        .first()
        .then((one) => Number(one!.$extras.total)),
      2
    )
  })
})

const OWN = new Set(['id', 'created_at', 'updated_at', 'secret'])
