import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminSession, AdminTokenBlacklist, AdminUser } from '#admin'
import emitter from '@adonisjs/core/services/emitter'
import { LucidCrud, ModelUpdated } from '#crud'
import type { Actor, Origin } from '#crud/types'
import { Article, Hooked, Pair, Plain } from '#tests/fixtures/events'
import { adminSite, emptyAdminTables, fakeHashes, makeUser, PASSWORD } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { del, patch, post } from '#tests/helpers/http'
import { audited, loggedEvents, statusOf, idOf } from '#tests/helpers/model_events'

const TABLES = ['event_articles', 'event_plains', 'event_pairs', 'event_hooked']
const ORIGIN: Origin = { requestId: 'r1', ip: '192.0.2.7', userAgent: 'Test/1', sessionId: 41 }

test.group('The event log | writes', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let user: AdminUser
  let actor: Actor

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
    await emptyAdminTables()
    user = await makeUser('ada')
    actor = { kind: 'admin', user }
    await emptyEventTables()
  })

  test("[S40, S59, E3] a REST create has an event and an audit row with the database's values", async ({
    assert,
  }) => {
    const { body } = await post(
      '/api/event-articles',
      { heading: 'One', hidden: 'unseen', data: { a: [1] }, big: '9007199254740993' },
      { headers: { 'user-agent': 'curl/8' } }
    )
    const [event, ...others] = await loggedEvents()
    assert.isEmpty(others)
    assert.deepInclude(event.$attributes, {
      eventType: 'CREATE',
      status: 'success',
      userId: null,
      username: null,
      sessionId: null,
      userAgent: 'curl/8',
      resourceType: 'Article',
      resourceId: String(body.id),
      details: null,
    })
    assert.match(event.ipAddress!, /^(::1|(::ffff:)?127\.0\.0\.1)$/)
    const [row] = await audited('Article')
    assert.deepInclude(row.$attributes, {
      eventId: event.id,
      action: 'CREATE',
      resourceId: String(body.id),
      previousState: null,
    })
    const { access_token: isSecret, ...shown } = body
    assert.isNull(isSecret)
    assert.deepEqual(row.newState, shown)
    assert.deepInclude(row.newState, { state: 'draft', is_deleted: false, data: { a: [1] } })
    assert.equal(row.newState!.big, '9007199254740993')
    assert.deepEqual(row.changes.heading, { old: null, new: 'One' })
    assert.isTrue(event.timestamp.equals(row.timestamp))
  })

  test('[E1, E3] each save of the same instance by application code is logged with the states before and after that save', async ({
    assert,
  }) => {
    const article = await Article.create({ title: 'One' })
    for (const title of ['Two', 'Three']) await article.merge({ title }).save()
    const rows = await audited('Article')
    const states = rows.map(({ newState, previousState }) => [
      previousState?.heading,
      newState?.heading,
    ])
    assert.sameDeepMembers(states, [
      [undefined, 'One'],
      ['One', 'Two'],
      ['Two', 'Three'],
    ])
  })

  test('[E3, A23] a write that changes no value logs no event, although the update time is set', async ({
    assert,
  }) => {
    const { body } = await post('/api/event-articles', { heading: 'One', data: { a: [1] } })
    await db.from('event_articles').update({ updated_at: '2001-02-03 04:05:06' })
    await emptyEventTables()
    const told: unknown[] = []
    const off = emitter.on(ModelUpdated, ({ changes }) => void told.push(changes))
    for (let round = 0; round < 3; round++) {
      const json = { heading: 'One', data: { a: [1] } }
      const { status } = await patch(`/api/event-articles/${body.id}`, json)
      assert.equal(status, 200)
    }
    assert.isEmpty(await loggedEvents())
    assert.isEmpty(await audited('Article'))
    const row = await db.from('event_articles').firstOrFail()
    assert.notEqual(row.updated_at, '2001-02-03 04:05:06')

    await patch(`/api/event-articles/${body.id}`, { heading: 'Two', data: { a: [1] } })
    off()
    assert.isEmpty(told.slice(1))
    assert.lengthOf(await loggedEvents(), 1)
    const [audit] = await audited('Article')
    assert.deepEqual(audit.changes.heading, { old: 'One', new: 'Two' })
    assert.notProperty(audit.changes, 'data')
  })

  test('[S48, E3] the event of an update has actor, origin and changes of the record', async ({
    assert,
  }) => {
    const { id } = await Article.create({ title: 'One', amount: 1.5 })
    await emptyEventTables()
    const client = db.connection()
    await new LucidCrud(Article).update(id, { title: 'Two' }, { client, actor, origin: ORIGIN })
    const [event, ...others] = await loggedEvents()
    assert.isEmpty(others)
    assert.deepInclude(event.$attributes, {
      eventType: 'UPDATE',
      userId: user.id,
      username: 'ada',
      sessionId: 41,
      ipAddress: '192.0.2.7',
      userAgent: 'Test/1',
      resourceId: String(id),
    })
    const [row] = await audited('Article')
    assert.deepInclude(row.previousState, { id, heading: 'One', amount: 1.5 })
    assert.deepInclude(row.newState, { id, heading: 'Two', amount: 1.5 })
    assert.deepEqual(row.changes.heading, { old: 'One', new: 'Two' })
    assert.notProperty(row.changes, 'amount')
  })

  test('[S55, E3, B16] a bulk operation logs one event with an audit row for each record', async ({
    assert,
  }) => {
    const ids: number[] = []
    for (const title of ['a', 'b', 'c']) ids.push(await idOf(Article.create({ title })))
    await emptyEventTables()
    const crud = new LucidCrud(Article)
    await crud.deleteMany(ids, { actor })
    await crud.restoreMany(ids, { actor })
    await crud.deleteMany(ids.slice(1), { actor, hard: true })
    await crud.deleteMany([ids[0]], { actor })

    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, resourceId, details }) => ({ eventType, resourceId, details })),
      [
        { eventType: 'DELETE', resourceId: null, details: { count: 3, soft: true } },
        { eventType: 'UPDATE', resourceId: null, details: { count: 3, restored: true } },
        { eventType: 'DELETE', resourceId: null, details: { count: 2 } },
        { eventType: 'DELETE', resourceId: String(ids[0]), details: { soft: true } },
      ]
    )
    const rows = await audited('Article')
    assert.deepEqual(
      rows.map(({ eventId, resourceId, action }) => [eventId, resourceId, action]),
      [
        ...ids.map((id) => [events[0].id, String(id), 'DELETE']),
        ...ids.map((id) => [events[1].id, String(id), 'UPDATE']),
        ...ids.slice(1).map((id) => [events[2].id, String(id), 'DELETE']),
        [events[3].id, String(ids[0]), 'DELETE'],
      ]
    )
    assert.deepInclude(rows[0].newState, { is_deleted: true })
    assert.isNull(rows[6].newState)
  })

  test('[E3] a bulk delete of 1,000 records logs one event and 1,000 audit rows, in its transaction', async ({
    assert,
  }) => {
    for (let start = 0; start < 1000; start += 100) {
      await db
        .table('event_plains')
        .multiInsert(Array.from({ length: 100 }, (_, index) => ({ name: `${start + index}` })))
    }
    const stored = await db.from('event_plains').select('id')
    const ids = stored.map(({ id }) => id)
    const crud = new LucidCrud(Plain)
    const undone = db.transaction(async (client) => {
      await crud.deleteMany(ids, { actor, client })
      const { total } = await client.from('admin_audit_log').count('* as total').first()
      assert.equal(total, 1000)
      throw new Error('undone')
    })
    await assert.rejects(() => undone, 'undone')
    assert.isEmpty(await loggedEvents())

    await crud.deleteMany(ids, { actor })
    assert.lengthOf(await loggedEvents(), 1)
    const rows = await audited('Plain')
    assert.sameMembers(
      rows.map(({ resourceId }) => Number(resourceId)),
      ids
    )
  }).tags(['@database'])

  test('[E3, A9] a composite key is logged in the format of its path', async ({ assert }) => {
    await post('/api/event-pairs', { left: 1, right: 'a/b', label: 'x' })
    await patch('/api/event-pairs/1/a%2Fb', { label: 'y' })
    await del('/api/event-pairs/1/a%2Fb')
    const rows = await audited('Pair')
    assert.deepEqual(
      rows.map(({ resourceId, action }) => [resourceId, action]),
      [
        ['1/a%2Fb', 'CREATE'],
        ['1/a%2Fb', 'UPDATE'],
        ['1/a%2Fb', 'DELETE'],
      ]
    )
    assert.deepEqual(rows[1].changes, { label: { old: 'x', new: 'y' } })
    assert.equal(await Pair.query().first(), null)
  })

  test('[E3] the log contains the stored state even if the saved instance is stale or has only some columns', async ({
    assert,
  }) => {
    const { id } = await Plain.create({ name: 'one', value: 1 })
    const stale = await Plain.findOrFail(id)
    const partial = await Plain.query().select('id', 'value').firstOrFail()
    await Plain.query().where('id', id).update({ name: 'two' })
    await emptyEventTables()

    await stale.merge({ value: 5 }).save()
    await partial.merge({ value: 6 }).save()
    await stale.delete()
    const rows = await audited('Plain')
    assert.deepEqual(
      rows.map(({ previousState, newState }) => [previousState, newState]),
      [
        [
          { id, name: 'two', value: 1 },
          { id, name: 'two', value: 5 },
        ],
        [
          { id, name: 'two', value: 5 },
          { id, name: 'two', value: 6 },
        ],
        [{ id, name: 'two', value: 6 }, null],
      ]
    )
  })

  test('[E4] a write through an instance whose row no longer exists logs no event', async ({
    assert,
  }) => {
    const plain = await Plain.create({ name: 'one', value: 1 })
    const other = await Plain.findOrFail(plain.id)
    await Plain.query().delete()
    await emptyEventTables()
    await plain.merge({ name: 'two' }).save()
    await other.delete()
    assert.isEmpty(await loggedEvents())
  })

  test("[E3] writes of hooks are logged in the event of the action, which names the action's model", async ({
    assert,
  }) => {
    const { id } = (await new LucidCrud(Hooked).create({ name: 'one' }, { actor })) as {
      id: number
    }
    const [event, ...others] = await loggedEvents()
    assert.isEmpty(others)
    assert.deepInclude(event.$attributes, {
      eventType: 'CREATE',
      username: 'ada',
      resourceType: 'Hooked',
      resourceId: String(id),
    })
    const [plain] = await audited('Plain')
    assert.equal(plain.eventId, event.id)
  })

  test('[E3] a record that one action writes several times has one audit row', async ({
    assert,
  }) => {
    class Twice extends LucidCrud<typeof Plain> {
      async prepareUpdate(values: Record<string, unknown>, record: any) {
        const other = await Plain.findOrFail(record.id, { client: record.$trx })
        await other.merge({ value: 2 }).save()
        return values
      }
    }
    const { id } = await Plain.create({ name: 'one', value: 1 })
    await emptyEventTables()
    await new Twice(Plain).update(id, { name: 'two' })
    const rows = await audited('Plain')
    assert.lengthOf(rows, 1)
    assert.deepEqual(rows[0].changes, {
      value: { old: 1, new: 2 },
      name: { old: 'one', new: 'two' },
    })
  })

  test('[E4] a failed write is not logged as a success', async ({ assert }) => {
    const { id } = await Hooked.create({ name: 'taken' })
    await emptyEventTables()
    assert.equal(await statusOf(post('/api/event-hooked', { name: 'taken' })), 409)
    assert.equal(await statusOf(post('/api/event-articles', {})), 422)
    assert.equal(await statusOf(patch('/api/event-articles/99', { heading: 'x' })), 404)
    assert.equal(await statusOf(del('/api/event-articles/99')), 404)
    await assert.rejects(() => new LucidCrud(Hooked).deleteMany([id, 99]))
    assert.isEmpty(await loggedEvents())
  })

  test('[B14] a restore is logged as UPDATE; deleting a deleted record is not logged', async ({
    assert,
  }) => {
    const { id } = await Article.create({ title: 'one' })
    await del(`/api/event-articles/${id}`)
    await emptyEventTables()
    assert.equal(await statusOf(del(`/api/event-articles/${id}`)), 404)
    await new LucidCrud(Article).restoreMany([id])
    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType }) => eventType),
      ['UPDATE']
    )
  })
})

test.group("The event log | the admin site's own models", (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
  })

  test('[B11, E4] creating, updating and setting the password of a user is logged without the password', async ({
    assert,
  }) => {
    const { adminUserService } = await adminSite()
    const user = await adminUserService.create({
      username: 'jo',
      password: PASSWORD,
      isSuperuser: true,
    })
    await adminUserService.setPassword(user, 'another horse')
    const crud = new LucidCrud(AdminUser)
    await crud.update(user.id, { isSuperuser: false }, { actor: { kind: 'admin', user } })
    await makeUser('last')
    await adminUserService.remove(user)

    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, username, details }) => ({ eventType, username, details })),
      [
        { eventType: 'CREATE', username: null, details: null },
        { eventType: 'UPDATE', username: null, details: { password_changed: true } },
        { eventType: 'UPDATE', username: 'jo', details: null },
        { eventType: 'CREATE', username: null, details: null },
        { eventType: 'DELETE', username: null, details: null },
      ]
    )
    const rows = await db.from('admin_audit_log')
    const text = JSON.stringify([rows, await db.from('admin_event_log')])
    assert.lengthOf(rows, 5)
    for (const secret of [PASSWORD, 'another horse', 'hashed_password', user.hashedPassword]) {
      assert.notInclude(text, secret)
    }
  })

  test('[E3] sessions and tokens are logged only when an action writes them', async ({
    assert,
  }) => {
    const site = await adminSite()
    const user = await makeUser('ada')
    await emptyEventTables()
    await site.adminAuthentication.cookieHeader(user)
    const [session] = await site.sessionManager.activeOf(user.id)
    await site.sessionManager.end(session)
    assert.lengthOf(await AdminTokenBlacklist.all(), 1)
    assert.isEmpty(await loggedEvents())

    await new LucidCrud(AdminSession).delete(session.id, { actor: { kind: 'admin', user } })
    const [event] = await loggedEvents()
    assert.deepInclude(event.$attributes, { eventType: 'DELETE', resourceType: 'AdminSession' })
    const [row] = await audited('AdminSession')
    assert.notProperty(row.previousState, 'session_id')
    assert.notProperty(row.previousState, 'session_metadata')
  })
})
