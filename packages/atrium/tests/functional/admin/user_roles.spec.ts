import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminAuditLog, AdminRole, AdminUser } from '#admin'
import { DefaultRole } from '#admin/permissions/user_roles'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import {
  giveRoles,
  makeRole,
  permissionsVersionOf,
  restoreRoles,
  roleIdOf,
  rolesOfUser,
} from '#tests/helpers/roles'

const USERS = '/admin/AdminUser'
const ROLES = '/admin/AdminRole'
const NEW = { username: 'new', password: 'battery staple' }
const CLERK = { Reel: { actions: ['view'], scopes: ['own'] } }

/** The roles that are ticked in the form of a user, by id and name. */
function chosenIn(page: string): Array<[number, string]> {
  const boxes = page.matchAll(
    /<input class="input" type="checkbox" name="roles" value="(\d+)"\s+checked>.*?roles-name"[^>]*>([^<]*)/gs
  )
  return [...boxes].map(([, id, label]) => [Number(id), label])
}

test.group('Admin | roles of users', (group) => {
  let root: AdminUser
  let cookie: string
  let clerk: AdminRole

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    clerk = await makeRole('Clerk', CLERK)
    root = await makeUser('root')
    cookie = await cookiesOf(root)
    return async () => {
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  const send = (method: string, path: string, json?: unknown, as = cookie): Promise<HttpResponse> =>
    call(method, path, { json, headers: { cookie: as } })
  const open = (path: string): Promise<HttpResponse> => get(path, { headers: { cookie } })
  const submit = (path: string, fields: Record<string, string> | string): Promise<HttpResponse> =>
    sendForm(path, fields, { cookie })
  const statusOf = async (response: Promise<HttpResponse>) => {
    const { status } = await response
    return status
  }
  const madeRoles = async (username = 'new') =>
    await rolesOfUser(await AdminUser.findByOrFail('username', username))

  async function withDefaultRole(name: string | null, work: () => Promise<void>) {
    const { adminUserService: users } = await adminSite()
    const { defaultRole } = users
    Object.assign(users, { defaultRole: new DefaultRole(name) })
    try {
      await work()
    } finally {
      Object.assign(users, { defaultRole })
    }
  }

  test('[U5] without the roles field a new user has the default role, by /crud and by the form', async ({
    assert,
  }) => {
    assert.equal(await statusOf(send('POST', `${USERS}/crud`, NEW)), 201)
    assert.deepEqual(await madeRoles(), ['Everything'])
    await withDefaultRole('Clerk', async () => {
      await submit(`${USERS}/form_create`, { ...NEW, username: 'second' })
      assert.deepEqual(await madeRoles('second'), ['Clerk'])
    })
    await withDefaultRole(null, async () => {
      await submit(`${USERS}/form_create`, { ...NEW, username: 'third' })
      assert.deepEqual(await madeRoles('third'), [])
    })
  })

  test('[U5] if the default role does not exist, creating a user without roles is a 409 that names it', async ({
    assert,
  }) => {
    await withDefaultRole('Gone', async () => {
      const { status, body } = await send('POST', `${USERS}/crud`, NEW)
      assert.equal(status, 409)
      assert.match(
        body.detail,
        /defaultRole is "Gone", and no role is called so; roles are "Clerk", "Everything" and "Read only"/
      )
      assert.isNull(await AdminUser.findBy('username', 'new'))
      const page = await open(`${USERS}/create_page`)
      assert.equal(page.status, 200)
      const named = await send('POST', `${USERS}/crud`, { ...NEW, roles: [clerk.id] })
      assert.equal(named.status, 201)
    })
  })

  test('[U5] [U6] the form shows all roles, with the default role selected', async ({ assert }) => {
    const { text } = await open(`${USERS}/create_page`)
    assert.deepEqual(chosenIn(text), [[await roleIdOf('Everything'), 'Everything']])
    assert.match(text, /role="group" aria-labelledby="field-roles-label"/)
    assert.notInclude(text, 'permissions_version')
  })

  test('[U6] the form assigns several roles, or none', async ({ assert }) => {
    const fields = new URLSearchParams({ ...NEW, roles: 'none' })
    fields.append('roles', String(clerk.id))
    fields.append('roles', String(await roleIdOf('Read only')))
    await submit(`${USERS}/form_create`, fields.toString())
    assert.deepEqual(await madeRoles(), ['Clerk', 'Read only'])

    const { id } = await AdminUser.findByOrFail('username', 'new')
    const page = await open(`${USERS}/update/${id}`)
    assert.deepEqual(
      chosenIn(page.text).map(([, label]) => label),
      ['Clerk', 'Read only']
    )
    assert.notInclude(page.text, 'roles__clear')
    await submit(`${USERS}/form_update/${id}`, { roles: 'none' })
    assert.deepEqual(await madeRoles(), [])
    await submit(`${USERS}/form_create`, { ...NEW, username: 'bare', roles: 'none' })
    assert.deepEqual(await madeRoles('bare'), [])
  })

  test('[U6] /crud accepts and returns roles by their ids', async ({ assert }) => {
    const everything = await roleIdOf('Everything')
    const ids = [everything, clerk.id].toSorted((one, other) => one - other)
    const made = await send('POST', `${USERS}/crud`, { ...NEW, roles: [...ids, clerk.id] })
    const { id } = made.body
    assert.deepEqual(made.body.roles, ids)
    const read = await send('GET', `${USERS}/crud/${id}`)
    assert.deepEqual(read.body.roles, ids)
    assert.equal(made.headers.get('etag'), read.headers.get('etag'))
    const list = await send('GET', `${USERS}/crud?username=new&limit=5`)
    assert.deepEqual(list.body.data.find((item: any) => item.id === id).roles, ids)

    const tag = { 'if-match': read.headers.get('etag')! }
    const changed = await call('PATCH', `${USERS}/crud/${id}`, {
      json: { roles: [clerk.id] },
      headers: { cookie, ...tag },
    })
    assert.equal(changed.status, 200)
    assert.isNull(changed.body)
    const told = await call('PATCH', `${USERS}/crud/${id}`, {
      json: { roles: [...ids] },
      headers: { cookie, prefer: 'return=representation' },
    })
    assert.deepEqual(told.body.roles, ids)
    await send('PATCH', `${USERS}/crud/${id}`, { roles: [clerk.id] })
    assert.deepEqual(await madeRoles(), ['Clerk'])
    await send('PATCH', `${USERS}/crud/${id}`, { username: 'newer' })
    assert.deepEqual(await madeRoles('newer'), ['Clerk'])
    await send('POST', `${USERS}/crud`, { ...NEW, roles: null })
    assert.deepEqual(await madeRoles(), [])
    const chosen = await send('GET', `${USERS}/crud/${id}?fields=id,username`)
    assert.deepEqual(chosen.body, { id, username: 'newer' })
  })

  test('[U6] an unknown role is refused, and nothing is written', async ({ assert }) => {
    for (const roles of [[987654], ['x'], 'Clerk', [1.5], [-1], [[1]], [2 ** 40]]) {
      const { status, body } = await send('POST', `${USERS}/crud`, { ...NEW, roles })
      assert.equal(status, 422, JSON.stringify(roles))
      assert.match(body.errors[0].field, /^roles/)
    }
    assert.isNull(await AdminUser.findBy('username', 'new'))
    const { status } = await submit(`${USERS}/form_create`, { ...NEW, roles: '987654' })
    assert.equal(status, 422)
  })

  test('[U6] a change of roles is logged with its actor', async ({ assert }) => {
    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    const readOnly = await roleIdOf('Read only')
    await send('PATCH', `${USERS}/crud/${jo.id}`, { roles: [readOnly] })
    const audited = () =>
      AdminAuditLog.query().where({ resourceType: 'AdminUser', action: 'UPDATE' })
    const [row] = await audited()
    assert.deepEqual((row.changes as any).roles, { old: [clerk.id], new: [readOnly] })
    assert.notProperty(row.changes as any, 'permissions_version')
    const event = await db.from('admin_event_log').where('id', row.eventId).firstOrFail()
    assert.equal(event.username, 'root')

    await send('PATCH', `${USERS}/crud/${jo.id}`, { roles: [readOnly] })
    assert.lengthOf(await audited(), 1)
  })

  test('[U4, E3] deleting a role logs the change of its users and raises their permissions version', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk', 'Read only'] })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    const readOnly = await roleIdOf('Read only')
    const both = [clerk.id, readOnly].toSorted((one, other) => one - other)
    for (const [index, remove] of [
      () => send('DELETE', `${ROLES}/crud/${clerk.id}`),
      () => send('DELETE', `${ROLES}/bulk-delete`, { ids: [clerk.id] }),
    ].entries()) {
      if (index > 0) {
        clerk = await makeRole('Clerk', CLERK)
        await giveRoles(jo, ['Clerk'])
        await giveRoles(ann, ['Clerk'])
      }
      await emptyEventTables()
      const versions = [await permissionsVersionOf(jo), await permissionsVersionOf(ann)]
      const { status } = await remove()
      assert.oneOf(status, [200, 204])
      const rows = await AdminAuditLog.query().orderBy('id')
      const told = rows.map((row) => [row.resourceType, row.resourceId, row.action])
      assert.sameDeepMembers(told, [
        ['AdminRole', String(clerk.id), 'DELETE'],
        ['AdminUser', String(jo.id), 'UPDATE'],
        ['AdminUser', String(ann.id), 'UPDATE'],
      ])
      const [lost] = rows.filter(({ resourceId, action }) => {
        return action === 'UPDATE' && resourceId === String(jo.id)
      })
      assert.deepEqual((lost.changes as any).roles, {
        old: index === 0 ? both : [clerk.id],
        new: index === 0 ? [readOnly] : [],
      })
      assert.lengthOf(new Set(rows.map(({ eventId }) => eventId)), 1)
      assert.isAbove(await permissionsVersionOf(jo), versions[0])
      assert.isAbove(await permissionsVersionOf(ann), versions[1])
    }
  })

  test('[U4] each change of roles or attributes, by the form or /crud, raises the permissions version of the user', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    const version = () => permissionsVersionOf(jo)
    const before = await version()
    await send('PATCH', `${USERS}/crud/${jo.id}`, { roles: [] })
    assert.equal(await version(), before + 1)
    await send('PATCH', `${USERS}/crud/${jo.id}`, { roles: [] })
    assert.equal(await version(), before + 1)
    await submit(`${USERS}/form_update/${jo.id}`, { attributes: '{"branch_id": 4}' })
    assert.equal(await version(), before + 2)
    const read = await send('GET', `${USERS}/crud/${jo.id}`)
    assert.deepEqual(read.body.attributes, { branch_id: 4 })
    const { status } = await send('PATCH', `${USERS}/crud/${jo.id}`, { attributes: [4] })
    assert.equal(status, 422)
  })

  test('[U1] the list of users shows their roles, and the list of roles shows all roles', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false, roles: [] })
    await giveRoles(jo, ['Clerk', 'Read only'])
    const users = await open(`${USERS}/`)
    assert.include(users.text, 'Clerk, Read only')
    const roles = await open(`${ROLES}/`)
    assert.equal(roles.status, 200)
    for (const name of ['Clerk', 'Everything', 'Read only']) assert.include(roles.text, name)
  })

  test('[U6] a role can be created, changed and deleted by form and /crud', async ({ assert }) => {
    const made = await submit(`${ROLES}/form_create`, {
      name: 'Manager',
      description: 'Of a cinema',
      permissions: '{"Reel": {"actions": ["update", "view"]}}',
    })
    assert.equal(made.status, 303)
    const manager = await AdminRole.findByOrFail('name', 'Manager')
    assert.deepEqual(manager.permissions, { Reel: { actions: ['view', 'update'] } })

    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Manager'] })
    const before = await permissionsVersionOf(jo)
    const permissions = { '*': { actions: ['*'] } }
    const changed = await send('PATCH', `${ROLES}/crud/${manager.id}`, { permissions })
    assert.equal(changed.status, 200)
    assert.equal(await permissionsVersionOf(jo), before + 1)
    assert.equal(await statusOf(send('DELETE', `${ROLES}/crud/${manager.id}`)), 200)
    assert.equal(await permissionsVersionOf(jo), before + 2)
    assert.deepEqual(await rolesOfUser(jo), [])
  })

  test('[U6] invalid permissions are refused with an error that names model and key', async ({
    assert,
  }) => {
    const role = { name: 'Manager', permissions: { Reel: { action: ['view'] } } }
    const { status, body } = await send('POST', `${ROLES}/crud`, role)
    assert.equal(status, 422)
    assert.equal(body.errors[0].field, 'permissions')
    assert.match(body.errors[0].message, /Reel has the key 'action', which is none; did you mean/)
    assert.match(body.errors[0].message, /Reel has no actions/)
    const form = await submit(`${ROLES}/form_create`, {
      name: 'none',
      permissions: '{"Reel": []}',
    })
    assert.equal(form.status, 422)
    assert.include(form.text, 'No role is called none')
    const twice = await send('POST', `${ROLES}/crud`, { name: 'Clerk', permissions: {} })
    assert.equal(twice.status, 409)
  })

  test('[U5] [B13] only superusers can access roles, whatever their role allows', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false })
    const own = await cookiesOf(jo)
    for (const [method, path, json] of [
      ['GET', `${ROLES}/`],
      ['GET', `${ROLES}/crud`],
      ['POST', `${ROLES}/crud`, { name: 'Mine', permissions: {} }],
      ['PATCH', `${ROLES}/crud/${clerk.id}`, { permissions: {} }],
      ['PATCH', `${USERS}/crud/${jo.id}`, { roles: [clerk.id] }],
      ['DELETE', `${ROLES}/crud/${clerk.id}`],
    ] as const) {
      const { status } = await send(method, path, json, own)
      assert.equal(status, 403, `${method} ${path}`)
    }
  })

  test("[U1] the last superuser can't be demoted, whatever roles exist", async ({ assert }) => {
    const { status } = await send('PATCH', `${USERS}/crud/${root.id}`, {
      is_superuser: false,
      roles: [],
    })
    assert.equal(status, 409)
    assert.deepEqual(await rolesOfUser(root), ['Everything'])
    assert.equal(await statusOf(send('PATCH', `${USERS}/crud/${root.id}`, { roles: [] })), 200)
    for (const { id } of await AdminRole.all()) await send('DELETE', `${ROLES}/crud/${id}`)
    assert.equal(await statusOf(open(`${USERS}/`)), 200)
  })
})
