import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import db from '@adonisjs/lucid/services/db'
import { AdminAuditLog, AdminEventLog, databaseEvents, type AdminEvent } from '#admin'
import { LucidCrud, ValueError } from '#crud'
import { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
import { DateTime } from 'luxon'
import { Plain } from '#tests/fixtures/events'
import { adminSite } from '#tests/helpers/admin'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/events'
import { audited, loggedEvents } from '#tests/helpers/model_events'

type Cleanup = (callback: () => void | Promise<void>) => void

function eventOf(records: AdminEvent['records'] = []): AdminEvent {
  return {
    type: 'UPDATE',
    status: 'success',
    timestamp: DateTime.fromISO('2026-03-02T14:05:09Z'),
    userId: 1,
    username: 'ada',
    sessionId: null,
    ipAddress: null,
    userAgent: null,
    resourceType: 'Plain',
    resourceId: null,
    details: { count: records.length },
    records,
  }
}

function recordOf(id: number) {
  return {
    resourceType: 'Plain',
    resourceId: String(id),
    action: 'UPDATE' as const,
    previousState: { id },
    newState: { id },
    changes: {},
  }
}

/** Moves the log to a separate database. */
async function putApart(cleanup: Cleanup): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-events-'))
  const configs = sqliteConnections('events_apart', join(folder, 'db.sqlite3'), {
    migrations: ['packages/atrium/migrations/admin'],
  })
  for (const [name, config] of Object.entries(configs)) db.manager.add(name, config)
  const runner = new MigrationRunner(db, app, { direction: 'up', connectionName: 'events_apart' })
  await runner.run()
  if (runner.error) throw runner.error

  const { connection } = AdminEventLog
  for (const model of [AdminEventLog, AdminAuditLog]) model.connection = 'events_apart'
  cleanup(async () => {
    for (const model of [AdminEventLog, AdminAuditLog]) model.connection = connection
    for (const name of Object.keys(configs)) await db.manager.close(name, true)
    await rm(folder, { recursive: true })
  })
}

test.group('The database integration', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await db.from('event_plains').delete()
    await emptyEventTables()
  })

  for (const count of [0, 1, 2, 99, 100, 101, 250]) {
    test(`[E3] an event is logged with ${count} records`, async ({ assert }) => {
      const records = Array.from({ length: count }, (_, index) => recordOf(index))
      await databaseEvents().log(eventOf(records))
      const [event, ...others] = await AdminEventLog.all()
      assert.isEmpty(others)
      assert.equal(event.timestamp.toUTC().toFormat('yyyy-MM-dd HH:mm:ss'), '2026-03-02 14:05:09')
      assert.deepEqual(event.details, { count })
      const rows = await AdminAuditLog.query().where('eventId', event.id).orderBy('id')
      assert.deepEqual(
        rows.map(({ resourceId }) => resourceId),
        records.map(({ resourceId }) => resourceId)
      )
    })
  }

  test('[E3] without a transaction of the caller, all rows of an event are inserted, or none', async ({
    assert,
  }) => {
    const broken = { ...recordOf(2), resourceId: null as never }
    await assert.rejects(() => databaseEvents().log(eventOf([recordOf(1), broken])))
    assert.isEmpty(await AdminEventLog.all())
  })

  test('[E3] in a separate database, rows are inserted after the commit, and not after a rollback', async ({
    assert,
    cleanup,
  }) => {
    await putApart(cleanup)
    const crud = new LucidCrud(Plain)
    await assert.rejects(() =>
      db.transaction(async (client) => {
        await crud.create({ name: 'undone' }, { client })
        throw new Error('undone')
      })
    )
    assert.isEmpty(await loggedEvents())

    await db.transaction(async (client) => {
      await crud.create({ name: 'one' }, { client })
      assert.isEmpty(await loggedEvents())
    })
    assert.lengthOf(await loggedEvents(), 1)
    assert.lengthOf(await audited('Plain'), 1)
    assert.isEmpty(await db.from('admin_event_log'))
  })

  test('[E4] in a separate database, a failure of the log does not fail the write', async ({
    assert,
    cleanup,
  }) => {
    await putApart(cleanup)
    await db.connection('events_apart').rawQuery('drop table admin_audit_log')
    await new LucidCrud(Plain).create({ name: 'one' })
    assert.lengthOf(await Plain.all(), 1)
    assert.isEmpty(await loggedEvents())
  })

  test('[E2] events past the retention are pruned with their records', async ({ assert }) => {
    const states = [{ resource_type: 'Plain', resource_id: '1', before: null, after: { id: 1 } }]
    for (let index = 0; index < 205; index++) {
      await logEvent({ timestamp: ago({ days: 10, seconds: 60 + index }) }, states)
    }
    const young = await logEvent({ timestamp: ago({ days: 9, hours: 23 }) }, states)
    assert.equal(await databaseEvents().prune(), 0)
    assert.equal(await databaseEvents({ retentionDays: 10 }).prune(), 205)
    const events = await AdminEventLog.all()
    assert.deepEqual(
      events.map(({ id }) => id),
      [young]
    )
    const rows = await AdminAuditLog.all()
    assert.deepEqual(
      rows.map(({ eventId }) => eventId),
      [young]
    )
  })

  for (const retentionDays of [0, -1, 1.5, Number.NaN]) {
    test(`[P9] a retention of ${retentionDays} days is refused`, ({ assert }) => {
      assert.throws(() => databaseEvents({ retentionDays }), ValueError as never)
      const typedNameDays = retentionDays
      assert.throws(() => databaseEvents({ typedNameDays }), ValueError as never)
    })
  }

  test('[E2] the typed name of a failed login is deleted after 30 days, but not the event', async ({
    assert,
  }) => {
    for (let index = 0; index < 205; index++) {
      const timestamp = ago({ days: 30, seconds: 60 + index })
      await logEvent({
        timestamp,
        event_type: 'FAILED_LOGIN',
        status: 'failure',
        username: 'a secret',
      })
    }
    const young = await logEvent({
      timestamp: ago({ days: 29, hours: 23 }),
      event_type: 'FAILED_LOGIN',
      status: 'failure',
      username: 'jo',
    })
    const other = await logEvent({
      timestamp: ago({ days: 90 }),
      event_type: 'LOGIN',
      username: 'al',
    })
    assert.equal(await databaseEvents().prune(), 0)
    const events = await AdminEventLog.all()
    assert.lengthOf(events, 207)
    const named = events.filter(({ username }) => username !== null)
    assert.sameMembers(
      named.map(({ id }) => id),
      [young, other]
    )

    await databaseEvents({ typedNameDays: 10 }).prune()
    const left = await AdminEventLog.query().whereNotNull('username')
    assert.deepEqual(
      left.map(({ id }) => id),
      [other]
    )
  })

  test('[E2] the default configuration file sets a retention', async ({ assert }) => {
    const { eventIntegration } = await adminSite()
    assert.deepInclude(eventIntegration, { retentionDays: 365, typedNameDays: 30, logViews: true })
  })
})
