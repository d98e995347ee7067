import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { engineRouter } from '#base/http/engine_router'
import { AdminAccessToken, AdminUser } from '#admin'
import { Play } from '#tests/fixtures/stages'
import {
  adminSite,
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
  PASSWORD,
  sendForm,
} from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { textOf } from '#tests/helpers/list_page'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const USERS = '/admin/AdminUser'
const STOP = '/admin/sign-in-as/stop'

test.group('Admin | signing in as another user', (group) => {
  let root: AdminUser
  let kim: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    await makeRole('Clerk', {
      Play: { actions: ['view', 'create', 'update'] },
      AdminAccessToken: { actions: ['create'] },
    })
    root = await makeUser('root')
    kim = await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(root)
    await emptyEventTables()
    return () => restoreRoles()
  })

  const start = ({ id }: AdminUser = kim, as = cookie) =>
    sendForm(`${USERS}/sign_in_as/${id}`, '', { cookie: as })
  const open = (path: string, as = cookie) =>
    get(path, { headers: { cookie: as, accept: 'text/html' } })
  const send = (path: string, fields: Record<string, string> = {}) =>
    sendForm(path, fields, { cookie })
  const eventsOf = async (where: Record<string, unknown>) => {
    const { events } = await adminSite()
    await events.settle()
    const rows = await db.from('admin_event_log').where(where).orderBy('id')
    return rows.map(({ details, ...event }) => ({ ...event, details: JSON.parse(details) }))
  }
  /** Sets the clock of the session's stay as another user back. */
  const age = async (minutes: number) => {
    const [row] = await db.from('admin_sessions').where('user_id', root.id)
    const { session_metadata: stored } = row
    const data = typeof stored === 'string' ? JSON.parse(stored) : stored
    data.actsAs.since -= minutes * 60_000
    await db
      .from('admin_sessions')
      .where('id', row.id)
      .update({ session_metadata: JSON.stringify(data) })
  }

  test('[U14] a superuser sees the site as the user does, with a banner, and returns with the button Stop', async ({
    assert,
  }) => {
    const form = await open(`${USERS}/update/${kim.id}`)
    assert.include(form.text, `action="${USERS}/sign_in_as/${kim.id}"`)
    const response = await start()
    assert.equal(response.status, 303)
    assert.isEmpty(response.headers.getSetCookie())
    for (const path of ['/admin', '/admin/Play/', '/admin/Play/create_page', '/admin/nowhere']) {
      const { text } = await open(path)
      assert.include(textOf(text), 'root, you are signed in as kim.', path)
    }
    const [users, stage, events] = await Promise.all(
      [`${USERS}/`, '/admin/Stage/', '/admin/management/events'].map((path) => open(path))
    )
    assert.deepEqual([users.status, stage.status, events.status], [403, 404, 403])
    const stopped = await send(STOP)
    assert.equal(stopped.headers.get('location'), `${USERS}/update/${kim.id}`)
    const back = await open(`${USERS}/`)
    assert.equal(back.status, 200)
    assert.notInclude(back.text, STOP)
    const again = await send(STOP)
    assert.equal(again.headers.get('location'), '/admin')
  })

  test('[U14, E3] every event names both users, whether it comes from forms, /crud or other pages', async ({
    assert,
  }) => {
    await start()
    await send('/admin/Play/form_create', { title: 'Hamlet', town: 'east' })
    const made = await call('POST', '/admin/Play/crud', {
      json: { title: 'Lear', town: 'east' },
      headers: { cookie },
    })
    assert.equal(made.status, 201)
    const play = await Play.findByOrFail('title', 'Hamlet')
    await open(`/admin/Play/update/${play.id}`)
    await send(STOP)
    const [begin] = await eventsOf({ username: 'root' })
    assert.deepInclude(begin, { event_type: 'VIEW', resource_id: String(kim.id) })
    assert.deepEqual(begin.details, { page: 'sign_in_as' })
    const all = await eventsOf({ user_id: kim.id })
    assert.sameMembers(
      all.map(({ event_type: type }) => type),
      ['CREATE', 'CREATE', 'VIEW', 'VIEW']
    )
    for (const { username, details } of all) {
      assert.equal(username, 'kim')
      assert.equal(details.acting_superuser, 'root')
    }
    const { text } = await open('/admin/management/events')
    assert.include(text, 'by root, signed in as this user')
    await send(`/admin/Play/form_update/${play.id}`, { town: 'west' })
    const [own] = await eventsOf({ event_type: 'UPDATE' })
    assert.equal(own.username, 'root')
    assert.notProperty(own.details ?? {}, 'acting_superuser')
  }).tags(['@database'])

  test('[U14] account pages and actions that need a password are not available while logged in as another user', async ({
    assert,
  }) => {
    await start()
    const tokens = await AdminAccessToken.query()
    const password = { current_password: PASSWORD, password: 'battery staple' }
    for (const [path, fields] of [
      ['/account/password', { ...password, password_again: password.password }],
      ['/account/preferences', { density: 'compact' }],
      ['/account/sessions/end', { id: '1' }],
      ['/account/sessions/end-others', {}],
      ['/account/tokens', { token_name: 'ci', token_abilities: '*', token_expires: '30 days' }],
      ['/account/notices', { last: '1' }],
      [`/AdminUser/form_update/${kim.id}`, { password: 'battery staple' }],
      [`/AdminUser/form_update/${root.id}`, { is_superuser: 'false' }],
      [`/AdminUser/issue_token/${kim.id}`, { token_name: 'ci', token_abilities: '*' }],
      [`/AdminUser/invite/${kim.id}`, {}],
      [`/AdminUser/sign_in_as/${kim.id}`, {}],
      ['/AdminRole/form_create', { name: 'New' }],
    ] as Array<[string, Record<string, string>]>) {
      const { status } = await send(`/admin${path}`, fields)
      assert.equal(status, 403, path)
    }
    const page = await open('/admin/account')
    assert.equal(page.status, 403)
    assert.include(page.text, 'This is not available while you are signed in as another user.')
    const crud = await call('PATCH', `${USERS}/crud/${kim.id}`, {
      json: { is_superuser: true },
      headers: { cookie },
    })
    assert.equal(crud.status, 403)
    const rest = await get('/admin/account/session', { headers: { cookie } })
    assert.equal(rest.status, 200)
    assert.lengthOf(await AdminAccessToken.query(), tokens.length)
    assert.isTrue(await isSignedIn(await cookiesOf(kim)))
  })

  test('[U14, U8] no route of the account, its factors or a proof of identity is available while logged in as another user', async ({
    assert,
  }) => {
    await start()
    const routes = Object.values(engineRouter().toJSON())
      .flat()
      .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
      .filter(({ pattern }) => /^\/admin\/(account|reauthenticate)(\/|$)/.test(pattern))
      .filter(({ pattern }) => pattern !== '/admin/account/session')
    assert.isAbove(routes.length, 15)
    for (const { method, pattern } of routes) {
      const path = pattern.replace(/:\w+/g, '1')
      const { status } = await callRaw(method, path, { cookie })
      assert.equal(status, 403, `${method} ${pattern}`)
    }
  })

  test('[U14] only superusers can sign in as another user, and not as other superusers', async ({
    assert,
  }) => {
    const boss = await makeUser('boss')
    for (const user of [boss, root]) {
      const { status } = await start(user)
      assert.equal(status, 403)
    }
    const form = await open(`${USERS}/update/${boss.id}`)
    assert.notInclude(form.text, 'sign_in_as')
    const lee = await makeUser('lee', { isSuperuser: false })
    const { status } = await start(lee, await cookiesOf(kim))
    assert.equal(status, 403)
    const stranger = await sendForm(`${USERS}/sign_in_as/${kim.id}`, '')
    assert.match(stranger.headers.get('location')!, /login/)
    const crossing = await sendForm(`${USERS}/sign_in_as/${kim.id}`, '', {
      cookie,
      'sec-fetch-site': 'cross-site',
    })
    const missing = await send(`${USERS}/sign_in_as/999999`)
    const read = await open(`${USERS}/sign_in_as/${kim.id}`)
    assert.deepEqual([crossing.status, missing.status, read.status], [403, 404, 404])
    const { text } = await open(`${USERS}/`)
    assert.include(text, 'root')
  })

  test(
    '[U14] an hour after the start, the next request as another user is refused and writes nothing: {0}'
  )
    .tags(['@database'])
    .with(['form', 'page', 'crud'])
    .run(async ({ assert }, door) => {
      await start()
      await age(59)
      const { text: last } = await open('/admin')
      assert.include(last, STOP)
      await age(1)
      const before = await Play.all()
      const response =
        door === 'form'
          ? await send('/admin/Play/form_create', { title: 'Late', town: 'east' })
          : door === 'page'
            ? await open('/admin/Play/')
            : await call('POST', '/admin/Play/crud', {
                json: { title: 'Late', town: 'east' },
                headers: { cookie },
              })
      assert.equal(response.status, 403)
      assert.include(response.text, 'You are no longer signed in as another user')
      assert.lengthOf(await Play.all(), before.length)
      const back = await open(`${USERS}/`)
      assert.equal(back.status, 200)
      assert.notInclude(back.text, STOP)
    })

  test('[U14] acting as another user ends when either user is demoted, promoted or deleted: {0}')
    .tags(['@database'])
    .with(['demoted', 'promoted', 'deleted'])
    .run(async ({ assert }, what) => {
      await makeUser('boss')
      await start()
      if (what === 'demoted')
        await AdminUser.query().where('id', root.id).update({ is_superuser: false })
      if (what === 'promoted')
        await AdminUser.query().where('id', kim.id).update({ is_superuser: true })
      if (what === 'deleted') await AdminUser.query().where('id', kim.id).delete()
      const { status } = await open('/admin/Play/')
      assert.equal(status, 403)
      const { text } = await open('/admin')
      assert.notInclude(text, STOP)
      assert.include(text, 'Logged in as root')
    })

  test('[U14, B5] logging out ends the superuser’s session, and the user’s own sessions continue', async ({
    assert,
  }) => {
    const own = await cookiesOf(kim)
    await start()
    await open('/admin/logout')
    assert.isFalse(await isSignedIn(cookie))
    assert.isTrue(await isSignedIn(own))
    const { text } = await open('/admin', own)
    assert.notInclude(text, STOP)
  })
})
