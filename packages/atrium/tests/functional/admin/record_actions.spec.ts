import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import vine from '@vinejs/vine'
import { AdminUser, RecordAction } from '#admin'
import { makeRecordActions } from '#admin/views/record_action'
import {
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { Weigh } from '#tests/fixtures/transitions'
import { insertRow } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, get, statusOf, type HttpResponse } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const ADMIN = '/admin/StepOrder'

test.group('Admin | record actions', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string
  let id: number

  const stored = (key = id) => db.from('step_orders').where('id', key).firstOrFail()
  const events = () => db.from('admin_event_log').where('event_type', 'UPDATE').orderBy('id')
  const page = async (path: string) => {
    const { text } = await get(ADMIN + path, { headers: { cookie } })
    return text
  }
  const run = (name: string, fields: Record<string, string> = {}, key = id) =>
    sendForm(`${ADMIN}/record_action/${name}/${key}`, fields, { cookie })
  async function told(response: HttpResponse): Promise<string> {
    const { text } = await get(response.headers.get('location')!, {
      headers: { cookie: `${cookie}; ${cookiesFrom(response)}` },
    })
    return /class="flash-message"[^>]*>\s*(.*?)\s*</s.exec(text)?.[1] ?? ''
  }
  async function clerk(actions: string[], more: object = {}) {
    const user = await makeUser('kim', { isSuperuser: false })
    await makeRole('Clerk', { StepOrder: { actions, ...more } })
    await giveRoles(user, ['Clerk'])
    cookie = await cookiesOf(user)
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    await db.from('step_orders').delete()
    cookie = await cookiesOf(await makeUser('ada', { isSuperuser: true }))
    id = await insertRow('step_orders', { title: 'Desk', status: 'draft' })
    return () => restoreRoles()
  })

  test('[G8] an action with a form shows errors, and runs with the values of its form', async ({
    assert,
  }) => {
    const text = await page(`/record_action/confirm-order/${id}`)
    assert.include(text, 'Confirm: Desk')
    assert.match(text, /name="note"[^>]*/)
    const { status: refused, text: again } = await run('confirm-order', { note: 'x' })
    assert.equal(refused, 422)
    assert.include(again, 'value="x"')
    assert.include(again, 'at least 3 characters')
    const response = await run('confirm-order', { note: 'soon', rush: 'true', next: `${ADMIN}/` })
    assert.equal(response.headers.get('location'), `${ADMIN}/`)
    assert.equal(await told(response), 'Confirmed Desk')
    const { status, note } = await stored()
    assert.deepEqual([status, note], ['confirmed', 'soon!'])
  })

  test('[G8] an action runs in one transaction, and is one event with its name', async ({
    assert,
  }) => {
    await db.from('step_orders').update({ status: 'confirmed' })
    const response = await run('ship')
    assert.equal(await told(response), 'Ship: Desk')
    const all = await events()
    assert.lengthOf(all, 1)
    assert.include(String(all[0].details), '"action":"ship"')
    assert.include(await page('/../management/events/'), 'Action ship')
    /* The second write of a refused action is never reached, and the first is not allowed. */
    await db.from('step_orders').update({ status: 'draft', note: 'here' })
    assert.equal(await statusOf(run('ship')), 422)
    const { note } = await stored()
    assert.equal(note, 'here')
    assert.equal(await told(await run('remind')), 'Reminded')
    const logged = await events()
    assert.lengthOf(logged, 2)
    assert.include(String(logged[1].details), '"action":"remind"')
  })

  test('[G8] buttons of record actions are in the form, on the page of the record, and in its row of the list', async ({
    assert,
  }) => {
    const list = await page('/')
    assert.match(list, /aria-label="Actions for Desk"/)
    assert.include(list, `${ADMIN}/record_action/confirm-order/${id}?next=`)
    assert.match(list, /<button[^>]*value="ship"/)
    assert.notMatch(list, /<button[^>]*value="remind"/)
    for (const path of [`/update/${id}`, `/view/${id}`]) {
      const text = await page(path)
      assert.match(text, new RegExp(`<a class="btn"[^>]*href="[^"]*/record_action/remind/${id}"`))
      assert.match(text, new RegExp(`<form method="post" action="[^"]*/record_action/ship/${id}"`))
    }
    assert.include(await page(`/record_action/remind/${id}`), 'Send a reminder?')
  })

  test('[G8] an action runs for selected records if it allows that', async ({ assert }) => {
    await db.from('step_orders').update({ status: 'confirmed' })
    const other = await insertRow('step_orders', { title: 'Chair', status: 'confirmed' })
    const response = await call('POST', `${ADMIN}/action/ship`, {
      body: `ids=${id}&ids=${other}&confirmed=1`,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(await told(response), 'Ship: 2')
    assert.lengthOf(await db.from('step_orders').where('status', 'shipped'), 2)
    assert.lengthOf(await events(), 1)
    assert.equal(await statusOf(get(`${ADMIN}/action/remind`, { headers: { cookie } })), 404)
  })

  test('[G8] a record action is refused on each record for which the user lacks its permission', async ({
    assert,
  }) => {
    await db.from('step_orders').update({ status: 'confirmed' })
    await clerk(['view', 'update', 'status:confirmed>shipped'])
    assert.equal(await statusOf(run('ship')), 403)
    assert.notInclude(await page('/'), 'record_action')
    assert.notInclude(await page(`/update/${id}`), 'record_action')
    await makeRole('Shipper', { StepOrder: { actions: ['view', 'ship'], scopes: ['desks'] } })
    const shipper = await makeUser('max', { isSuperuser: false })
    await giveRoles(shipper, ['Clerk', 'Shipper'])
    cookie = await cookiesOf(shipper)
    const chair = await insertRow('step_orders', { title: 'Chair', status: 'confirmed' })
    assert.equal(await statusOf(run('ship', {}, chair)), 403)
    assert.equal(await statusOf(run('confirm-order', { note: 'soon' })), 403)
    assert.equal(await statusOf(run('ship')), 303)
    const { status } = await stored()
    assert.equal(status, 'shipped')
    const { status: missing } = await run('ship', {}, 999_999)
    assert.equal(missing, 404)
  })

  test('[G8.4] a record action is refused on records without the permissions that its option needs names', async ({
    assert,
  }) => {
    const chair = await insertRow('step_orders', { title: 'Chair', note: 'hidden' })
    await makeRole('Desks', { StepOrder: { actions: ['view', 'update'], scopes: ['desks'] } })
    await clerk(['view', 'weigh'])
    await giveRoles(await AdminUser.findByOrFail('username', 'kim'), ['Clerk', 'Desks'])
    const selected = (...ids: number[]) =>
      statusOf(
        sendForm(`${ADMIN}/action/weigh`, ids.map((one) => `ids=${one}`).join('&'), { cookie })
      )
    for (const [key, status] of [
      [id, 303],
      [chair, 403],
    ]) {
      assert.equal(await statusOf(run('weigh', {}, key)), status)
      assert.equal(await selected(key), status)
    }
    assert.equal(await selected(id, chair), 403)
  })

  test('[G8.4] the code of a record action also receives values that the user cannot see', async ({
    assert,
  }) => {
    const chair = await insertRow('step_orders', { title: 'Chair', note: 'hidden' })
    await makeRole('Desks', { StepOrder: { actions: ['view'], scopes: ['desks'] } })
    await clerk(['view', 'update', 'weigh'], { hidden: ['note'] })
    await giveRoles(await AdminUser.findByOrFail('username', 'kim'), ['Clerk', 'Desks'])
    Weigh.notes = []
    assert.equal(await statusOf(run('weigh', {}, chair)), 303)
    assert.equal(await statusOf(sendForm(`${ADMIN}/action/weigh`, `ids=${chair}`, { cookie })), 303)
    assert.deepEqual(Weigh.notes, ['hidden', 'hidden'])
    assert.notInclude(await page('/'), 'hidden<')
  })

  test('[G8] the permission matrix of a role lists record actions', async ({ assert }) => {
    const query = 'permissions.kept.StepOrder='
    const { text } = await get(`/admin/AdminRole/permissions?${query}`, { headers: { cookie } })
    assert.include(text, 'value="confirm-order"')
    assert.include(text, 'Status: draft → confirmed')
  })

  test('[G8] the application does not start if a record action is invalid', ({ assert }) => {
    abstract class Base extends RecordAction {
      async run() {}
    }
    const make = (values: object) =>
      class extends Base {
        name = 'act'
        label = 'Act'

        constructor() {
          super()
          Object.assign(this, values)
        }
      }
    const refused = (values: object) => () => makeRecordActions('Film', [make(values)], ['view'])
    assert.throws(refused({ name: 'a b' }), /not valid in a URL/)
    assert.throws(refused({ name: 'view' }), /another action/)
    assert.throws(refused({ label: ' ' }), /label/)
    assert.throws(refused({ needs: 'fly' }), /needs 'fly'/)
    assert.throws(refused({ bulk: true, form: vine.object({}) }), /form/)
    assert.throws(() => makeRecordActions('Film', [Map as any]), /not a subclass/)
  })

  test("[G8, G8.3] the option fields.NAME.hidden leaves a field out of a user's forms, and new records get its default", async ({
    assert,
  }) => {
    assert.include(await page('/create_page'), 'name="note"')
    cookie = await cookiesOf(await makeUser('ann', { isSuperuser: true }))
    assert.notInclude(await page('/create_page'), 'name="note"')
    const fields = { title: 'New', status: 'draft', note: 'forged' }
    assert.equal(await statusOf(sendForm(`${ADMIN}/form_create`, fields, { cookie })), 303)
    const created = await db.from('step_orders').where('title', 'New').firstOrFail()
    assert.equal(created.note, 'preset')
    assert.notInclude(await page(`/update/${id}`), 'name="note"')
    const update = sendForm(`${ADMIN}/form_update/${id}`, { title: 'Table', note: 'x' }, { cookie })
    assert.equal(await statusOf(update), 303)
    const { note, title } = await stored()
    assert.deepEqual([title, note], ['Table', null])
  })
})
