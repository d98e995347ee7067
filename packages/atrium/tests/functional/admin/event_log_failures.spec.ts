import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminEvent, EventIntegration } from '#admin'
import { EventDispatcher } from '#admin/events/event_dispatcher'
import { LucidCrud, ModelCreated, observeWrites } from '#crud'
import emitter from '@adonisjs/core/services/emitter'
import { Article, Plain } from '#tests/fixtures/events'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { emptyEventTables } from '#tests/helpers/events'
import { get, patch, post } from '#tests/helpers/http'
import { audited, listen, loggedEvents, statusOf } from '#tests/helpers/model_events'
import { refuseInserts } from '#tests/helpers/databases'

type Cleanup = (callback: () => void | Promise<void>) => void

/** Captures errors that are logged outside of requests. */
function captureErrors(cleanup: Cleanup): Array<{ err?: Error; text: string }> {
  const errors: Array<{ err?: Error; text: string }> = []
  logger.error = ((bindings: { err?: Error }, text: string) =>
    void errors.push({ err: bindings.err, text })) as never
  cleanup(() => void delete (logger as Partial<typeof logger>).error)
  return errors
}

/** Adds an integration in addition to the site's own. */
function useIntegration(cleanup: Cleanup, integration: EventIntegration, mostPending?: number) {
  const dispatcher = new EventDispatcher(integration, { mostPending })
  cleanup(observeWrites(dispatcher))
  return dispatcher
}

test.group('The event log | failures', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('event_plains').delete()
    await db.from('event_articles').delete()
    await emptyEventTables()
  })

  async function refuseRows(cleanup: Cleanup, table: string) {
    cleanup(await refuseInserts(table))
  }

  for (const table of ['admin_event_log', 'admin_audit_log']) {
    test(`[E4] a write whose rows can't be inserted into ${table} is rolled back and fails`, async ({
      assert,
      cleanup,
    }) => {
      const log = captureLog(cleanup)
      const { id } = await Plain.create({ name: 'one', value: 1 })
      await emptyEventTables()
      const accept = await refuseInserts(table)
      cleanup(accept)
      const { heard } = listen(cleanup)

      const created = await post('/api/event-plains', { name: 'two' })
      const updated = await patch(`/api/event-plains/${id}`, { name: 'two' })
      await assert.rejects(() => new LucidCrud(Plain).deleteMany([id]))
      for (const { status, text } of [created, updated]) {
        assert.equal(status, 500)
        assert.notMatch(text, /admin_|refused|insert|SQLITE/)
      }
      const rows = await db.from('event_plains')
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['one']
      )
      assert.isEmpty(await heard())
      assert.equal(log().filter(({ level }) => level === ERROR_LEVEL).length, 2)

      await accept()
      assert.equal(await statusOf(patch(`/api/event-plains/${id}`, { name: 'two' })), 200)
      assert.lengthOf(await loggedEvents(), 1)
    })
  }

  test('[E4] a constraint violation while an event is logged is a 500', async ({
    assert,
    cleanup,
  }) => {
    const broken = Object.assign(new Error('SQLITE_CONSTRAINT: FOREIGN KEY constraint failed'), {
      code: 'SQLITE_CONSTRAINT',
    })
    cleanup(
      observeWrites({
        async record() {
          throw broken
        },
      })
    )
    assert.equal(await statusOf(post('/api/event-plains', { name: 'one' })), 500)
  })

  test("[E3] a save() outside a transaction is stored even if it can't be logged, and the failure is reported", async ({
    assert,
    cleanup,
  }) => {
    await refuseRows(cleanup, 'admin_audit_log')
    const errors = captureErrors(cleanup)
    const plain = await Plain.create({ name: 'one', value: 1 })
    assert.isNotNull(await Plain.find(plain.id))
    assert.lengthOf(errors, 1)
    assert.include(errors[0].text, 'Plain')
    assert.isEmpty(await loggedEvents())
    await assert.rejects(() =>
      db.transaction((client) => Plain.create({ name: 'two', value: 1 }, { client }))
    )
    assert.lengthOf(await Plain.all(), 1)
  })

  test('[E4] a custom integration that throws, synchronously or asynchronously, affects no response', async ({
    assert,
    cleanup,
  }) => {
    const errors = captureErrors(cleanup)
    const rejecting = useIntegration(cleanup, {
      log: async () => Promise.reject(new Error('later')),
    })
    const throwing = useIntegration(cleanup, {
      log() {
        throw new Error('at once')
      },
    })
    assert.equal(await statusOf(post('/api/event-plains', { name: 'one' })), 201)
    await Promise.all([rejecting.settle(), throwing.settle()])
    assert.sameMembers(
      errors.map(({ err }) => err!.message),
      ['later', 'at once']
    )
    assert.equal(rejecting.pending, 0)
  })

  test('[E4] an integration that never returns delays nothing and uses a bounded amount of memory', async ({
    assert,
    cleanup,
  }) => {
    const errors = captureErrors(cleanup)
    const hanging = useIntegration(cleanup, { log: () => new Promise<void>(() => {}) }, 3)
    for (let index = 0; index < 5; index++) {
      assert.equal(await statusOf(post('/api/event-plains', { name: `${index}` })), 201)
    }
    assert.equal(hanging.pending, 3)
    assert.lengthOf(errors, 2)
    assert.include(errors[0].text, 'lost')
    await hanging.settle(1)
    assert.equal(hanging.pending, 3)
  })

  test('[E4] a slow integration gets the event after the response, with the changes at that time', async ({
    assert,
    cleanup,
  }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const heard: AdminEvent[] = []
    const slow = useIntegration(cleanup, {
      async log(event) {
        await held
        heard.push(event)
      },
    })
    const { body } = await post('/api/event-articles', { heading: 'one', data: { a: 1 } })
    assert.equal(await statusOf(get(`/api/event-articles/${body.id}`)), 200)
    assert.isEmpty(heard)
    release()
    await slow.settle()
    assert.lengthOf(heard, 1)
    assert.deepInclude(heard[0], { type: 'CREATE', resourceType: 'Article' })
    assert.deepInclude(heard[0].records[0].newState, { heading: 'one', data: { a: 1 } })
  })

  test('[E4] an integration outside the write’s transaction gets no event that is rolled back', async ({
    assert,
    cleanup,
  }) => {
    const heard: AdminEvent[] = []
    const other = useIntegration(cleanup, { log: async (event) => void heard.push(event) })
    await assert.rejects(() =>
      db.transaction(async (client) => {
        await new LucidCrud(Plain).create({ name: 'one' }, { client })
        await other.settle()
        throw new Error('undone')
      })
    )
    await other.settle()
    assert.isEmpty(heard)
  })

  test('[E4] an integration inside the write’s transaction can roll it back', async ({
    assert,
    cleanup,
  }) => {
    const seen: boolean[] = []
    useIntegration(cleanup, {
      isPartOf: () => true,
      async log(_event, { client } = {}) {
        seen.push(client!.isTransaction)
        throw new Error('no')
      },
    })
    assert.equal(await statusOf(post('/api/event-plains', { name: 'one' })), 500)
    assert.deepEqual(seen, [true])
    assert.isEmpty(await Plain.all())
  })

  test('[S58] without an integration nothing is logged, and events are still emitted', async ({
    assert,
    cleanup,
  }) => {
    const none = new EventDispatcher(undefined)
    cleanup(observeWrites(none))
    const { heard } = listen(cleanup)
    await Plain.create({ name: 'one', value: 1 })
    assert.lengthOf(await heard(), 1)
    assert.isFalse(none.isActive)
    assert.isFalse(none.logsViewsOf('list'))
    assert.equal(none.pending, 0)
  })

  test('[E4] no row, event or log contains secrets, even of a failed write', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const errors = captureErrors(cleanup)
    const events: string[] = []
    cleanup(
      emitter.on(ModelCreated, (event) => {
        events.push(JSON.stringify(event.changes))
        throw new Error('a listener fails')
      })
    )
    useIntegration(cleanup, {
      async log(event) {
        events.push(JSON.stringify(event))
        throw new Error('an integration fails')
      },
    })
    const body = { heading: 'one', hidden: 'secret-h', access_token: 'secret-t', card: '12345678' }
    const response = await post('/api/event-articles-by-hand', body)
    assert.equal(response.status, 201)
    await patch(`/api/event-articles-by-hand/${response.body.id}`, {
      hidden: 'secret-h2',
      card: '99995678',
    })
    const updates = await loggedEvents('UPDATE')
    assert.deepEqual(updates[0].details, { hidden_fields_changed: true })
    const [, update] = await audited('Article')
    assert.deepEqual(update.changes.card, { old: '…78', new: '…78' })

    await refuseRows(cleanup, 'admin_audit_log')
    const refused = await post('/api/event-articles-by-hand', body)
    assert.equal(refused.status, 500)
    const rows = [await db.from('admin_audit_log'), await db.from('admin_event_log')]
    const logged = errors.map(({ err, text }) => `${err?.stack} ${err?.cause} ${text}`)
    const everything = JSON.stringify([rows, events, log(), logged, refused.text])
    assert.include(everything, 'an integration fails')
    for (const secret of ['secret-h', 'secret-t', '12345678', '99995678']) {
      assert.notInclude(everything, secret)
    }
    const { hidden } = await Article.firstOrFail()
    assert.equal(hidden, 'secret-h2')
  })
})
