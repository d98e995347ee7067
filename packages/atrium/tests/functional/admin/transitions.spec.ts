import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, resources } from '#crud'
import { unknownNames } from '#admin/roles/role_errors'
import { limitedColumns } from '#base/columns/transitions'
import { StepOrder } from '#tests/fixtures/transitions'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, get, patch, post, statusOf } from '#tests/helpers/http'
import { beginImport, chooseColumns, emptyImportTables } from '#tests/helpers/import_forms'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const API = '/api/step-orders'
const ADMIN = '/admin/StepOrder'

test.group('Admin | transitions of a state', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string
  let draft: number

  const status = async (id: number) => {
    const row = await db.from('step_orders').where('id', id).first()
    return row.status
  }
  const order = (values: object = {}) =>
    insertRow('step_orders', { title: 'Desk', status: 'draft', ...values })
  const form = (id: number, fields: Record<string, string>) =>
    sendForm(`${ADMIN}/form_update/${id}`, fields, { cookie })
  const choices = async (id: number) => {
    const { text } = await get(`${ADMIN}/update/${id}`, { headers: { cookie } })
    const [, select = ''] = /<select[^>]*name="status".*?>(.*?)<\/select>/s.exec(text) ?? []
    return [...select.matchAll(/<option value="(.+?)"/g)].map(([, value]) => value)
  }
  async function clerk(actions: string[]) {
    const user = await makeUser('kim', { isSuperuser: false })
    await makeRole('Clerk', { StepOrder: { actions } })
    await giveRoles(user, ['Clerk'])
    cookie = await cookiesOf(user)
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await emptyImportTables()
    await restoreRoles()
    await db.from('step_orders').delete()
    await db.from('step_parcels').delete()
    cookie = await cookiesOf(await makeUser('ada', { isSuperuser: true }))
    draft = await order()
    return () => restoreRoles()
  })

  test('[G8, G8.2] REST, batches and application code can change a state only by declared transitions', async ({
    assert,
  }) => {
    const { status: refused, body } = await patch(`${API}/${draft}`, { status: 'shipped' })
    assert.equal(refused, 422)
    assert.deepEqual(body.errors, [
      {
        field: 'status',
        rule: 'transition',
        message:
          'The status field cannot change from draft to shipped: confirmed and cancelled can follow',
      },
    ])
    assert.equal(await statusOf(patch(`${API}/${draft}`, { status: 'draft', note: 'x' })), 200)
    assert.equal(await statusOf(patch(`${API}/${draft}`, { status: null })), 422)
    const batch = { update: [{ id: draft, status: 'shipped' }] }
    assert.equal(await statusOf(post(`${API}/batch`, batch)), 422)
    assert.equal(await status(draft), 'draft')
    assert.equal(await statusOf(patch(`${API}/${draft}`, { status: 'confirmed' })), 200)
    const crud = new LucidCrud(StepOrder)
    await assert.rejects(() => crud.update(draft, { status: 'draft' }), /not valid/)
    await crud.update(draft, { status: 'shipped' })
    await assert.rejects(() => crud.update(draft, { status: 'draft' }), /not valid/)
    assert.equal(await status(draft), 'shipped')
    assert.equal(await statusOf(post(API, { title: 'New', status: 'shipped' })), 201)
    const none = await order({ status: null })
    assert.equal(await statusOf(patch(`${API}/${none}`, { status: 'shipped' })), 200)
  })

  test('[G8, W9] updateWhere and upsert refuse transitions of a state that are not declared', async ({
    assert,
  }) => {
    const other = await order({ status: 'confirmed' })
    const crud = new LucidCrud(StepOrder)
    const all = { title: 'Desk' }
    const values = { status: 'shipped', note: 'x' }
    await assert.rejects(() => crud.updateWhere(all, values, { max: 2 }), /not valid/)
    await assert.rejects(() => crud.upsert({ id: draft, ...values }, { on: ['id'] }), /not valid/)
    const rows = await db.from('step_orders').orderBy('id').select('id', 'status', 'note')
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { id: draft, status: 'draft', note: null },
        { id: other, status: 'confirmed', note: null },
      ]
    )
  })

  test('[G8] transitions declared in a view apply to the API of its model, too', async ({
    assert,
  }) => {
    const id = await insertRow('step_parcels', { state: 'here' })
    assert.equal(await statusOf(patch(`/api/step-parcels/${id}`, { state: 'gone' })), 422)
    assert.equal(await statusOf(patch(`/api/step-parcels/${id}`, { state: 'there' })), 200)
  })

  test('[G8] the form, a cell and a bulk edit refuse undeclared transitions with a message', async ({
    assert,
  }) => {
    assert.deepEqual(await choices(draft), ['draft', 'confirmed', 'cancelled'])
    const { status: refused, text } = await form(draft, { status: 'shipped' })
    assert.equal(refused, 400)
    assert.include(text, 'cannot change from draft to shipped')
    const cell = `${ADMIN}/cell/${draft}?field=status`
    const { text: editor } = await get(cell, { headers: { cookie } })
    assert.notInclude(editor, '"shipped"')
    const [, version] = /data-version="(.*?)"/.exec(editor) ?? []
    const headers = { cookie, 'if-match': `"${version}"` }
    const { status: ofCell } = await sendForm(cell, { status: 'shipped' }, headers)
    assert.equal(ofCell, 422)
    const edit = await call('POST', `${ADMIN}/bulk-edit`, {
      json: { ids: [draft], values: { status: 'shipped' } },
      headers: { cookie },
    })
    assert.isAbove(edit.status, 399)
    assert.equal(await status(draft), 'draft')
    assert.equal(await statusOf(form(draft, { status: 'confirmed' })), 303)
    assert.deepEqual(await choices(draft), ['confirmed', 'shipped'])
  })

  test('[G8] undo refuses a transition that is not declared', async ({ assert }) => {
    await form(draft, { status: 'confirmed', note: 'ready' })
    const { id } = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
    const undo = await call('POST', `/admin/management/events/${id}/undo`, {
      json: {},
      headers: { cookie },
    })
    assert.isAbove(undo.status, 399)
    assert.equal(await status(draft), 'confirmed')
  })

  test('[G8] an import refuses a transition that is not declared', async ({ assert }) => {
    const other = await order()
    const url = await beginImport(
      'StepOrder',
      `id,title,status\n${draft},Desk,shipped\n${other},Chair,confirmed\n`,
      cookie
    )
    const { headers } = await chooseColumns(url, ['id', 'title', 'status'], cookie, { key: 'id' })
    const page = await get(headers.get('location') ?? url, { headers: { cookie } })
    assert.include(page.text, 'cannot change from draft to shipped')
    assert.equal(await status(draft), 'draft')
  })

  test('[G8] users can make only the transitions that their role names', async ({ assert }) => {
    await clerk(['view', 'update', 'status:draft>confirmed'])
    assert.deepEqual(await choices(draft), ['draft', 'confirmed'])
    const { status: refused } = await form(draft, { status: 'cancelled' })
    assert.equal(refused, 403)
    assert.equal(await status(draft), 'draft')
    assert.equal(await statusOf(form(draft, { status: 'confirmed' })), 303)
    assert.deepEqual(await choices(draft), ['confirmed'])
    assert.equal(await statusOf(form(draft, { note: 'x' })), 303)
    assert.equal(await statusOf(form(draft, { status: 'shipped' })), 403)
  })

  test('[G8] the permission matrix of a role lists the transitions of each model', async ({
    assert,
  }) => {
    const { permissions } = await makeRole('Clerk', {
      StepOrder: { actions: ['view', 'status:draft>confirmed'] },
    })
    const site = await adminSite()
    assert.isEmpty(unknownNames(site, permissions))
    const query = 'permissions.kept.StepOrder={"actions":["status:draft>confirmed"]}'
    const { text } = await get(`/admin/AdminRole/permissions?${query}`, { headers: { cookie } })
    assert.match(text, /value="status:draft&gt;confirmed"[^>]*checked/)
    assert.match(text, /value="status:draft&gt;cancelled"(?![^>]*checked)/)
  })

  test('[G8] transitions of a column that does not exist are an error that names the column', async ({
    assert,
  }) => {
    const { columns, model } = resources.all().find(({ name }) => name === 'StepOrder')!
    assert.throws(
      () => limitedColumns(model, columns, { stage: { a: ['b'] } }),
      "StepOrder: transitions names 'stage', which is not a column"
    )
  })
})
