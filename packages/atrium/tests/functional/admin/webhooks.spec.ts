import { setTimeout as sleep } from 'node:timers/promises'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Webhook } from 'standardwebhooks'
import type { AdminUser } from '#admin'
import AdminWebhook from '#admin/models/admin_webhook'
import { PAUSES, WebhookSender } from '#admin/webhooks/webhook_sender'
import { LucidCrud, systemActor } from '#crud'
import { inTransaction } from '#base/database/transaction'
import { Pair, Plain } from '#tests/fixtures/events'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { del, patch, post } from '#tests/helpers/http'
import { loggedEvents } from '#tests/helpers/model_events'
import { restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'
import {
  allowPrivate,
  deliveries,
  emptyWebhooks,
  makeWebhook,
  moveClock,
  type Receiver,
  sendDue,
  startReceiver,
} from '#tests/helpers/webhook_receiver'

const HOUR = 3_600_000

test.group('Webhooks | messages', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let receiver: Receiver
  let ada: AdminUser
  const plains = new LucidCrud(Plain)

  group.setup(() => fakeHashes())
  group.setup(() => allowPrivate())
  group.each.setup(async () => {
    for (const table of ['event_plains', 'event_pairs', 'play_tickets', 'plays'])
      await db.from(table).delete()
    await emptyAdminTables()
    await emptyWebhooks()
    await emptyEventTables()
    ada = await makeUser('ada')
    receiver = await startReceiver()
    return async () => {
      await receiver.stop()
      await emptyWebhooks()
      await restoreRoles()
    }
  })

  const hook = (more: Partial<Parameters<typeof makeWebhook>[0]> = {}) =>
    makeWebhook({ address: receiver.url, ownerId: ada.id, ...more })

  test('[W4] a create, an update and a deletion send signed messages in order', async ({
    assert,
  }) => {
    const { secret } = await hook({ models: ['Play'] })
    const { headers } = await issueToken(ada, ['*'], { name: 'ci' })
    const { body } = await post('/api/plays', { title: 'Hamlet', town: 'east' }, { headers })
    await patch(`/api/plays/${body.id}`, { title: 'Macbeth' }, { headers })
    await sendDue()
    await del(`/api/plays/${body.id}`, { headers })
    await sendDue()
    const [created, updated, deleted, ...others] = receiver.messages
    assert.isEmpty(others)
    assert.equal(created.body.type, 'play.created')
    assert.equal(updated.body.type, 'play.updated')
    assert.equal(deleted.body.type, 'play.deleted')
    assert.equal(created.body.data.id, body.id)
    assert.equal(created.body.data.record.title, 'Macbeth')
    assert.deepEqual(created.body.data.changes.title, { old: null, new: 'Hamlet' })
    assert.deepEqual(updated.body.data.changes, { title: { old: 'Hamlet', new: 'Macbeth' } })
    assert.deepEqual(updated.body.data.actor, {
      kind: 'token',
      id: ada.id,
      name: 'ada',
      token: 'ci',
    })
    assert.isNull(deleted.body.data.record)
    assert.match(created.body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    for (const { headers: sent, text } of receiver.messages) {
      assert.doesNotThrow(() => new Webhook(secret).verify(text, sent as Record<string, string>))
      assert.equal(sent['content-type'], 'application/json')
      assert.match(sent['webhook-id'] as string, /^msg_[\da-f]{32}$/)
    }
    const wrong = new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`)
    assert.throws(() => wrong.verify(created.text, created.headers as Record<string, string>))
  })

  test('[W4] a message contains the record as REST returns it', async ({ assert }) => {
    await hook({ models: ['Play'] })
    const { headers } = await issueToken(ada)
    const { body } = await post('/api/plays', { title: 'Hamlet', town: 'east' }, { headers })
    await sendDue()
    assert.deepEqual(receiver.messages[0].body.data.record, body)
  })

  test('[W4] the models and event types of a webhook determine its messages', async ({
    assert,
  }) => {
    await hook({ models: ['Plain'], eventTypes: ['created'] })
    await hook({ eventTypes: ['plain.updated', 'pair.created'] })
    await hook({ active: false })
    const { id } = await plains.create({ name: 'a', value: 1 })
    await plains.update(id, { value: 2 })
    await plains.delete(id)
    await new LucidCrud(Pair).create({ left: 1, right: 'a/b', label: 'x' })
    const stored = await deliveries()
    const types = stored.map(({ type, webhookId }) => `${webhookId} ${type}`)
    const [one, two] = await AdminWebhook.query().orderBy('id')
    assert.sameMembers(types, [
      `${one.id} plain.created`,
      `${two.id} plain.updated`,
      `${two.id} pair.created`,
    ])
    await sendDue()
    const pair = receiver.messages.find(({ body }) => body.type === 'pair.created')!
    assert.deepEqual(pair.body.data.id, [1, 'a/b'])
  })

  test('[W4] writes by application code, in bulk and by hooks send messages', async ({
    assert,
  }) => {
    await hook({ models: ['Plain'], eventTypes: ['created'] })
    await Plain.create({ name: 'code', value: 1 })
    await plains.createMany([
      { name: 'one', value: 1 },
      { name: 'two', value: 2 },
    ])
    await inTransaction(db.connection(), async (client) => {
      await plains.create({ name: 'inner', value: 3 }, { client, actor: systemActor('night job') })
    })
    await sendDue()
    const names = receiver.messages.map(({ body }) => body.data.record.name)
    assert.sameMembers(names, ['code', 'one', 'two', 'inner'])
    const inner = receiver.messages.find(({ body }) => body.data.record.name === 'inner')!
    assert.deepEqual(inner.body.data.actor, { kind: 'system', name: 'night job' })
  })

  test('[W4] a write that is rolled back sends nothing', async ({ assert }) => {
    await hook()
    await assert.rejects(() =>
      inTransaction(db.connection(), async (client) => {
        await plains.create({ name: 'gone', value: 1 }, { client })
        throw new Error('rolled back')
      })
    )
    await plains.create({ name: 'kept', value: 1 })
    await sendDue()
    assert.deepEqual(
      receiver.messages.map(({ body }) => body.data.record.name),
      ['kept']
    )
  })

  test('[W4] a committed write is delivered by another process if its own was killed', async ({
    assert,
  }) => {
    await hook()
    await plains.create({ name: 'a', value: 1 })
    const { webhooks, ...site } = await adminSite()
    /* Another worker takes the message, and is killed before it sends it. */
    const [{ webhookId }] = await deliveries()
    const now = Date.now()
    const killed = { most: 9, worker: 'killed', now, until: now + 120_000 }
    await webhooks.store.take(webhookId, killed)
    await sendDue()
    assert.isEmpty(receiver.messages)
    const undo = moveClock(121_000)
    try {
      await sendDue()
    } finally {
      undo()
    }
    assert.lengthOf(receiver.messages, 1)
    assert.isDefined(site)
  })

  test('[W4] a failed message is retried with the same id, and later messages of the record wait', async ({
    assert,
    cleanup,
  }) => {
    await hook()
    const { id } = await plains.create({ name: 'a', value: 1 })
    await plains.update(id, { value: 2 })
    await plains.create({ name: 'b', value: 1 })
    receiver.respond = (response, { body }) =>
      void response.writeHead(body.data.record.name === 'a' ? 500 : 200).end('no')
    await sendDue()
    const first = receiver.messages.find(({ body }) => body.data.record.name === 'a')!
    assert.lengthOf(receiver.messages, 2)
    receiver.respond = (response) => void response.writeHead(200).end()
    await sendDue()
    assert.lengthOf(receiver.messages, 2)
    cleanup(moveClock(PAUSES[0] + 1000))
    await sendDue()
    await sendDue()
    const ids = receiver.messages.slice(2).map(({ headers }) => headers['webhook-id'])
    assert.lengthOf(ids, 2)
    assert.equal(ids[0], first.headers['webhook-id'])
    const [one] = await deliveries()
    assert.deepInclude(one.$attributes, { state: 'delivered', attempts: 2, responseStatus: 200 })
  })

  test('[W4] a receiver that fails for a day gets each message twelve times', async ({
    assert,
  }) => {
    await hook()
    await plains.create({ name: 'a', value: 1 })
    receiver.respond = (response) => void response.writeHead(500).end('broken')
    await sendDue()
    let moved = 0
    for (const pause of PAUSES) {
      const undo = moveClock((moved += pause + 1000))
      try {
        await sendDue()
        await sendDue()
      } finally {
        undo()
      }
    }
    assert.isAbove(moved, 23.5 * HOUR)
    assert.isBelow(moved, 25 * HOUR)
    assert.lengthOf(receiver.messages, 12)
    assert.lengthOf(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])), 1)
    const [one] = await deliveries()
    assert.deepInclude(one.$attributes, { state: 'failed', attempts: 12, responseStatus: 500 })
    assert.equal(one.response, 'broken')
  })

  test('[W4] a webhook is switched off after five days of failures, with a notice', async ({
    assert,
  }) => {
    const { id } = await hook()
    receiver.respond = (response) => void response.writeHead(500).end()
    for (const days of [0, 2, 4, 5.1]) {
      const undo = moveClock(days * 24 * HOUR)
      try {
        await plains.create({ name: `day ${days}`, value: 1 })
        await sendDue()
      } finally {
        undo()
      }
      const { active } = await AdminWebhook.findOrFail(id)
      assert.equal(active, days < 5, `after ${days} days`)
    }
    const { notices } = await adminSite()
    const [notice] = await notices.recent(ada.id)
    assert.equal(notice.kind, 'webhook_off')
    const events = await loggedEvents()
    const event = events.findLast(({ resourceType }) => resourceType === 'AdminWebhook')!
    assert.deepInclude(event.$attributes, { eventType: 'UPDATE', username: 'system: webhooks' })
  })

  test('[W4] a successful delivery resets the time since the first failure', async ({ assert }) => {
    const { id } = await hook()
    receiver.respond = (response) => void response.writeHead(500).end()
    await plains.create({ name: 'a', value: 1 })
    await sendDue()
    const failing = await AdminWebhook.findOrFail(id)
    assert.isNumber(failing.failingSince)
    receiver.respond = (response) => void response.writeHead(200).end()
    await plains.create({ name: 'b', value: 1 })
    await sendDue()
    const fine = await AdminWebhook.findOrFail(id)
    assert.isNull(fine.failingSince)
  })

  test('[W4] a receiver that does not respond does not delay other webhooks, and redirects are not followed', async ({
    assert,
    cleanup,
  }) => {
    const other = await startReceiver()
    cleanup(() => other.stop())
    receiver.respond = () => {}
    await hook({ eventTypes: ['created'] })
    await hook({ address: other.url })
    other.respond = (response) =>
      void response.writeHead(302, { location: `${other.url}/elsewhere` }).end()
    await plains.create({ name: 'a', value: 1 })
    const site = await adminSite()
    const sender = new WebhookSender(site, site.webhooks.store, {
      allowPrivate: true,
      timeout: 300,
    })
    await sender.sendDue()
    assert.lengthOf(other.messages, 1)
    const [hung, redirected] = await deliveries()
    assert.equal(hung.error, 'No response within the time limit')
    assert.equal(hung.state, 'pending')
    assert.equal(redirected.responseStatus, 302)
    assert.equal(redirected.state, 'pending')
  })

  test('[W4.10] the next batch waits while each message of a batch fails, and no longer once one is delivered', async ({
    assert,
    cleanup,
  }) => {
    await hook()
    receiver.respond = (response) => void response.writeHead(500).end()
    await plains.createMany(Array.from({ length: 100 }, (_, value) => ({ name: 'a', value })))
    const site = await adminSite()
    const sender = new WebhookSender(site, site.webhooks.store, { allowPrivate: true })
    cleanup(() => sender.stop())
    const received = async (count: number) => {
      while (receiver.messages.length < count) await sleep(20)
    }
    sender.start()
    await received(40)
    await sleep(500)
    assert.lengthOf(receiver.messages, 40)
    receiver.respond = (response) => void response.writeHead(204).end()
    await received(100)
  })

  test('[W4] a long response of a receiver is truncated', async ({ assert }) => {
    await hook()
    receiver.respond = (response) => {
      response.writeHead(200)
      const write = () => {
        if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(write)
      }
      response.on('drain', write)
      write()
    }
    await plains.create({ name: 'a', value: 1 })
    await sendDue()
    const [one] = await deliveries()
    assert.equal(one.state, 'delivered')
    assert.isAtMost(one.response!.length, 1000)
  })

  test('[W4, E4] messages contain no hidden columns, and stored deliveries contain no secrets', async ({
    assert,
  }) => {
    await hook({ models: ['Article'] })
    const secrets = { hidden: 'QZXHIDDEN', access_token: 'QZXTOKEN' }
    await post('/api/event-articles', { heading: 'One', ...secrets, data: { a: [1] } })
    await sendDue()
    assert.lengthOf(receiver.messages, 1)
    const [{ body, text }] = receiver.messages
    assert.notInclude(text, 'QZXHIDDEN')
    /* REST responds with it. The event log and the pages never show it. */
    assert.equal(body.data.record.access_token, 'QZXTOKEN')
    assert.notProperty(body.data.changes, 'access_token')
    assert.notMatch(JSON.stringify(await db.from('admin_webhook_deliveries')), /QZX/)
  })

  test("[W4] writes of the admin site's own models send no messages", async ({ assert }) => {
    await hook()
    await makeUser('bob')
    assert.isEmpty(await deliveries())
  })

  test('[W4] a webhook whose owner does not exist sends nothing and is switched off', async ({
    assert,
  }) => {
    const { id } = await hook({ ownerId: 987_654 })
    await plains.create({ name: 'a', value: 1 })
    await sendDue()
    assert.isEmpty(receiver.messages)
    const { active } = await AdminWebhook.findOrFail(id)
    assert.isFalse(active)
  })
})
