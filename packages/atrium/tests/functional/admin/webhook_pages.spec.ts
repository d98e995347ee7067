import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Webhook } from 'standardwebhooks'
import type { AdminUser } from '#admin'
import AdminWebhook from '#admin/models/admin_webhook'
import { LucidCrud } from '#crud'
import { Plain } from '#tests/fixtures/events'
import {
  ageSessions,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get, patch, post, statusOf } from '#tests/helpers/http'
import { emptyJobTables, untilJob, work } from '#tests/helpers/jobs'
import { loggedEvents } from '#tests/helpers/model_events'
import { issueToken } from '#tests/helpers/tokens'
import {
  allowPrivate,
  deliveries,
  emptyWebhooks,
  makeWebhook,
  type Receiver,
  sendDue,
  startReceiver,
} from '#tests/helpers/webhook_receiver'

const PATH = '/admin/AdminWebhook'
const CRUD = `${PATH}/crud`

test.group('Webhooks | pages', (group) => {
  let receiver: Receiver
  let ada: AdminUser
  let cookie: string
  const plains = new LucidCrud(Plain)

  group.setup(() => fakeHashes())
  group.setup(() => allowPrivate())
  group.each.setup(async () => {
    await db.from('event_plains').delete()
    await emptyAdminTables()
    await emptyWebhooks()
    await emptyJobTables()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    await emptyEventTables()
    receiver = await startReceiver()
    return async () => {
      await receiver.stop()
      await emptyWebhooks()
    }
  })

  const headersOf = (own = cookie) => ({ headers: { cookie: own } })
  const hook = () => makeWebhook({ address: receiver.url, ownerId: ada.id })
  const click = (path: string, fields: Record<string, string> = {}) =>
    sendForm(`${PATH}/${path}`, fields, { cookie })

  test('[W4] a webhook can be created, read and changed by JSON; only the first response has its secret', async ({
    assert,
  }) => {
    const values = { address: receiver.url, models: ['Plain'], event_types: ['plain.created'] }
    const { body, status } = await post(CRUD, values, headersOf())
    assert.equal(status, 201)
    assert.match(body.secret, /^whsec_/)
    assert.deepInclude(body, { ...values, active: true, owner_id: ada.id, description: '' })
    const { body: read, text } = await get(`${CRUD}/${body.id}`, headersOf())
    assert.notProperty(read, 'secret')
    assert.notInclude(text, 'secret')
    await plains.create({ name: 'a', value: 1 })
    await sendDue()
    const [{ headers, text: sent }] = receiver.messages
    assert.doesNotThrow(() => new Webhook(body.secret).verify(sent, headers as never))

    const changed = await patch(`${CRUD}/${body.id}`, { active: false }, headersOf())
    assert.equal(changed.status, 200)
    await plains.create({ name: 'b', value: 1 })
    assert.lengthOf(await deliveries(), 1)
    const stored = JSON.stringify(await db.from('admin_webhooks'))
    const logged = JSON.stringify([
      await db.from('admin_event_log'),
      await db.from('admin_audit_log'),
    ])
    for (const place of [stored, logged]) assert.notInclude(place, body.secret.slice(6))
    const events = await loggedEvents()
    const types = events.map(({ eventType, resourceType }) => `${resourceType} ${eventType}`)
    assert.includeMembers(types, ['AdminWebhook CREATE', 'AdminWebhook UPDATE'])
  })

  test('[W4] invalid values of a webhook are refused with the reason', async ({ assert }) => {
    for (const [values, text] of [
      [{ address: 'ftp://example.com' }, 'must begin with https'],
      [{ address: receiver.url, models: ['Nothing'] }, 'Unknown model'],
      [{ address: receiver.url, models: ['AdminUser'] }, 'Unknown model'],
      [{ address: receiver.url, event_types: ['exploded'] }, 'Unknown event type'],
      [{ address: receiver.url, event_types: ['admin_user.created'] }, 'Unknown event type'],
    ] as Array<[object, string]>) {
      const { status, text: found } = await post(CRUD, values, headersOf())
      assert.equal(status, 422)
      assert.include(found, text)
    }
    const { status } = await post(
      CRUD,
      { address: receiver.url, secret: 'whsec_mine' },
      headersOf()
    )
    assert.equal(status, 201)
    const [{ secret }] = await AdminWebhook.query()
    assert.notInclude(secret, 'mine')
  })

  test('[W4.8] models and types are selected by checkboxes in the form, and none selected means all', async ({
    assert,
  }) => {
    const page = await get(`${PATH}/create_page`, headersOf())
    const values = (name: string, text: string) =>
      [
        ...text.matchAll(
          new RegExp(`type="checkbox" name="${name}" value="(.*?)"( checked)?`, 'g')
        ),
      ].map(([, value, checked]) => (checked ? `${value}!` : value))
    assert.include(values('models', page.text), 'Plain')
    assert.notInclude(values('models', page.text), 'AdminUser')
    assert.includeMembers(values('event_types', page.text), ['created', 'deleted', 'plain.updated'])

    const save = (path: string, chosen: [string, string][]) =>
      sendForm(
        `${PATH}/${path}`,
        String(new URLSearchParams([...chosen, ['address', receiver.url]])),
        {
          cookie,
        }
      )
    const none: Array<[string, string]> = [
      ['models', 'none'],
      ['event_types', 'none'],
    ]
    await save('form_create', [...none, ['models', 'Plain'], ['event_types', 'plain.updated']])
    const [made] = await AdminWebhook.query()
    assert.deepEqual([made.models, made.eventTypes], [['Plain'], ['plain.updated']])
    const form = await get(`${PATH}/update/${made.id}`, headersOf())
    assert.include(values('models', form.text), 'Plain!')
    assert.include(values('event_types', form.text), 'plain.updated!')
    assert.match(form.text, /<details class="roles-more disclosure" open/)

    await save(`form_update/${made.id}`, none)
    await made.refresh()
    assert.deepEqual([made.models, made.eventTypes], [[], []])
    const { text } = await get(`${PATH}/`, headersOf())
    assert.include(text, 'All models')
    assert.include(text, 'All changes')
  })

  test('[W4, B13, U11] only superusers with a recent login can write webhooks', async ({
    assert,
  }) => {
    const bob = await makeUser('bob', { isSuperuser: false })
    const own = await cookiesOf(bob)
    const { id } = await hook()
    await plains.create({ name: 'a', value: 1 })
    const [{ id: delivery }] = await deliveries()
    const values = { address: receiver.url }
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', `/update/${id}`],
      ['GET', `/deliveries/${id}`],
      ['GET', `/delivery/${delivery}`],
      ['POST', `/send_again/${delivery}`],
      ['POST', `/send_test/${id}`],
      ['POST', `/replay/${id}`],
      ['POST', `/show_secret/${id}`],
      ['POST', `/rotate_secret/${id}`],
      ['GET', '/crud'],
      ['POST', '/crud'],
    ] as const) {
      const json = path === '/crud' && method === 'POST' ? values : undefined
      const { status, text } = await call(method, PATH + path, { headers: { cookie: own }, json })
      assert.include([403, 404], status, path)
      assert.notInclude(text, 'whsec_')
      const anonymous = await call(method, PATH + path, { json })
      assert.include([303, 401, 403], anonymous.status, path)
    }
    const token = await issueToken(ada)
    const { status: byToken } = await post(CRUD, values, { headers: token.headers })
    assert.include([401, 403], byToken)
    await ageSessions(ada, 'created_at', { minutes: 20 })
    const late = await post(CRUD, values, headersOf())
    assert.equal(late.status, 403)
    const rotated = await click(`rotate_secret/${id}`)
    assert.notInclude(rotated.text, 'whsec_')
  })

  test('[W4] a webhook can be created in the form, and its secret is shown once', async ({
    assert,
  }) => {
    const fields = { address: receiver.url, description: 'Shop', models: 'Plain', active: 'true' }
    const { headers, status } = await sendForm(`${PATH}/form_create`, fields, { cookie })
    assert.equal(status, 303)
    const { id } = await AdminWebhook.firstOrFail()
    assert.include(headers.get('location')!, `/admin/AdminWebhook/update/${id}`)
    const page = await get(`${PATH}/update/${id}`, headersOf())
    assert.include(page.text, 'Show secret')
    assert.notInclude(page.text, 'whsec_')
    const shown = await click(`show_secret/${id}`)
    assert.match(shown.text, /whsec_/)
    assert.equal(shown.headers.get('cache-control'), 'no-store')
    const again = await click(`show_secret/${id}`)
    assert.equal(again.status, 303)
    const later = await get(`${PATH}/update/${id}`, headersOf())
    assert.notInclude(later.text, 'Show secret')
  })

  test('[W4] Rotate secret shows a new secret, and for a day messages are signed with both secrets', async ({
    assert,
  }) => {
    const { id, secret } = await hook()
    const { text } = await click(`rotate_secret/${id}`)
    const [next] = /whsec_[\w+/=]+/.exec(text)!
    assert.notEqual(next, secret)
    await plains.create({ name: 'a', value: 1 })
    await sendDue()
    const [{ headers, text: sent }] = receiver.messages
    for (const one of [secret, next]) {
      assert.doesNotThrow(() => new Webhook(one).verify(sent, headers as never))
    }
    const events = await loggedEvents()
    const event = events.findLast(({ resourceType }) => resourceType === 'AdminWebhook')
    assert.isTrue(event!.details!.hidden_fields_changed)
    assert.notInclude(JSON.stringify(await db.from('admin_audit_log')), next.slice(6))
  })

  test('[W4] Send test event sends a message without a record', async ({ assert }) => {
    const { id } = await hook()
    const { status } = await click(`send_test/${id}`)
    assert.equal(status, 303)
    await sendDue()
    const [{ body }] = receiver.messages
    assert.equal(body.type, 'webhook.test')
    assert.deepEqual(body.data, {
      id: null,
      changes: {},
      record: null,
      actor: { kind: 'admin', id: ada.id, name: 'ada' },
    })
    const events = await loggedEvents()
    const event = events.at(-1)!
    assert.deepEqual(event.details, { webhook: 'test_sent' })
  })

  test('[W4] deliveries are shown with request, response and duration, and can be sent again', async ({
    assert,
  }) => {
    const { id } = await hook()
    receiver.respond = (response) => void response.writeHead(418).end('<b>teapot</b>')
    const { id: plain } = await plains.create({ name: 'Shown <i>', value: 1 })
    await sendDue()
    const [{ id: delivery, messageId }] = await deliveries()
    const page = await get(`${PATH}/update/${id}`, headersOf())
    for (const text of [
      'plain.created',
      '418',
      'ms',
      'Retrying',
      'Send test event',
      'Replay from event',
    ]) {
      assert.include(page.text, text)
    }
    const list = await get(`${PATH}/deliveries/${id}`, headersOf())
    assert.include(list.text, `/admin/AdminWebhook/delivery/${delivery}`)
    const one = await get(`${PATH}/delivery/${delivery}`, headersOf())
    assert.include(one.text, messageId)
    assert.include(one.text, '&lt;b&gt;teapot')
    assert.notInclude(one.text, '<b>teapot')
    assert.include(one.text, 'Shown &lt;i&gt;')
    receiver.respond = (response) => void response.writeHead(200).end()
    assert.equal(await statusOf(click(`send_again/${delivery}`)), 303)
    await sendDue()
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual(ids, [messageId, messageId])
    assert.equal(receiver.messages[1].body.data.id, plain)
    for (const path of ['delivery/999999', 'delivery/x', 'deliveries/999999']) {
      assert.equal(await statusOf(get(`${PATH}/${path}`, headersOf())), 404)
    }
  })

  test('[W4] Replay from event sends all logged writes since that event again', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await hook()
    const { id: first } = await plains.create(
      { name: 'a', value: 1 },
      { actor: { kind: 'admin', user: ada } }
    )
    await plains.update(first, { value: 2 })
    const events = await loggedEvents()
    const [, update] = events.filter(({ resourceType }) => resourceType === 'Plain')
    await plains.create({ name: 'b', value: 1 })
    await db.from('admin_webhook_deliveries').delete()
    cleanup(await work())
    const { headers } = await click(`replay/${id}`, { event: String(update.id) })
    const job = Number(/jobs\/(\d+)/.exec(headers.get('location')!)![1])
    const ended = await untilJob(job)
    assert.equal(ended.state, 'done')
    await sendDue()
    const sent = receiver.messages.map(({ body }) => [
      body.type,
      body.data.id,
      body.data.changes.value,
    ])
    const second = await Plain.findByOrFail('name', 'b')
    assert.sameDeepMembers(sent, [
      ['plain.updated', first, { old: 1, new: 2 }],
      ['plain.created', second.id, { old: null, new: 1 }],
    ])
    for (const event of ['', '0', '-1', 'x', '99999999999999999999']) {
      assert.equal(await statusOf(click(`replay/${id}`, { event })), 303)
    }
  })
})
