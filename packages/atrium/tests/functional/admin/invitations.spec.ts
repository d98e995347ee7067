import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { AdminUser } from '#admin'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { giveFactor } from '#tests/helpers/factors'
import { call, get } from '#tests/helpers/http'
import { textOf } from '#tests/helpers/list_page'
import { ago, emptyEventTables } from '#tests/helpers/logged_events'

const USERS = '/admin/AdminUser'
const NEW = 'battery staple'

test.group('Admin | invitations and resets', (group) => {
  let root: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    root = await makeUser('root')
    cookie = await cookiesOf(root)
  })

  /** A user without a password, as the form makes one. */
  const invited = async (username = 'kim', more: Record<string, string> = {}) => {
    const fields = { username, invite: 'true', ...more }
    await sendForm(`${USERS}/form_create`, fields, { cookie })
    return await AdminUser.findByOrFail('username', username)
  }
  const makeLink = async ({ id }: AdminUser, as = cookie) => {
    const response = await sendForm(`${USERS}/invite/${id}`, '', { cookie: as })
    return {
      response,
      path: /https?:\/\/[^/]+(\/admin\/invitation\/[\w-]+)</.exec(response.text)?.[1]!,
    }
  }
  const choose = (path: string, password = NEW, again = password, headers = {}) =>
    sendForm(path, { password, password_again: again }, headers)
  const allRows = async () => {
    const { events } = await adminSite()
    await events.settle()
    const tables = ['admin_event_log', 'admin_audit_log', 'admin_invitations', 'admin_notices']
    return JSON.stringify(await Promise.all(tables.map((table) => db.from(table))))
  }

  test('[U12] an invited user has no password, chooses one by the link, and logs in', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const kim = await invited()
    const { response, path } = await makeLink(kim)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    const form = await get(path)
    assert.equal(form.status, 200)
    assert.equal(form.headers.get('referrer-policy'), 'strict-origin')
    assert.include(textOf(form.text), 'Choose a password for kim.')

    const done = await choose(path)
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), '/admin/login?done=password')
    assert.isEmpty(done.headers.getSetCookie())
    const door = await get('/admin/login?done=password')
    assert.include(door.text, 'Your password is set.')
    const entered = await login('kim', NEW)
    assert.equal(entered.status, 303)
    const token = path.split('/').at(-1)!
    const told = (await allRows()) + log()
    for (const secret of [token, NEW]) assert.notInclude(told, secret)
    const [made] = await db.from('admin_event_log').where('details', 'like', '%"invitation"%')
    assert.containSubset(made, { username: 'root', resource_id: String(kim.id) })
    const [set] = await db.from('admin_event_log').where('details', 'like', '%password_changed%')
    assert.containSubset(set, { username: 'kim', event_type: 'UPDATE' })
  }).tags(['@database'])

  test('[U12] after an invited user is created, the user’s page offers the link', async ({
    assert,
  }) => {
    const create = (fields: Record<string, string>, headers = {}) =>
      sendForm(`${USERS}/form_create`, fields, { cookie, ...headers })
    const made = await create({ username: 'kim', invite: 'true' })
    const { id } = await AdminUser.findByOrFail('username', 'kim')
    assert.equal(made.headers.get('location'), `${USERS}/update/${id}#password-link`)
    const page = await get(`${USERS}/update/${id}`, { headers: { cookie } })
    assert.include(page.text, 'id="password-link"')
    assert.include(page.text, 'Create an invitation link')
    const byHtmx = await create({ username: 'max', invite: 'true' }, { 'hx-request': 'true' })
    assert.match(byHtmx.headers.get('hx-redirect')!, /\/update\/\d+#password-link$/)
    const usual = await create({ username: 'lee', password: NEW })
    assert.equal(usual.headers.get('location'), `${USERS}/`)
  })

  test('[U12, U16] users are notified of a new password, except the first one of a new user', async ({
    assert,
  }) => {
    const kinds = async () => {
      const rows = await db.from('admin_notices').orderBy('id')
      return rows.map(({ kind }) => kind)
    }
    const kim = await invited()
    const first = await makeLink(kim)
    await choose(first.path)
    assert.isEmpty(await kinds())

    const lee = await invited('lee')
    await sendForm(`${USERS}/form_update/${lee.id}`, { password: NEW }, { cookie })
    assert.deepEqual(await kinds(), ['password_set'])
    const own = await cookiesOf((await AdminUser.find(lee.id))!)
    const told = await get('/admin', { headers: { cookie: own, accept: 'text/html' } })
    const sentence = 'A password was set for your account. Done by root.'
    assert.include(textOf(told.text), sentence)

    /* Of who has logged in by other means. */
    const sue = await invited('sue')
    await cookiesOf(sue)
    const later = await makeLink(sue)
    await choose(later.path)
    assert.deepEqual(await kinds(), ['password_set', 'password_set'])
  })

  test('[U12] a user without a password cannot log in', async ({ assert }) => {
    const kim = await invited()
    assert.equal(kim.hashedPassword, '!')
    for (const password of ['!', '', ' ', 'null', 'nobody', PASSWORD, '$scrypt$']) {
      const { status } = await login('kim', password)
      assert.include([401, 429], status, password)
    }
    const { adminUserService } = await adminSite()
    for (const password of ['!', '', 'nobody']) {
      assert.isNull(await adminUserService.verify('kim', password), password)
    }
    hash.restore()
    await emptyAdminTables()
    const lee = await AdminUser.create({ username: 'lee', hashedPassword: '!', isSuperuser: false })
    assert.isNull(await adminUserService.verify(lee.username, '!'))
    hash.fake()
  })

  test('[U12] a password link is valid for one use, for a day, and until a newer one is created', async ({
    assert,
  }) => {
    const kim = await invited()
    const { path: older } = await makeLink(kim)
    const { path: newer } = await makeLink(kim)
    const [row] = await db.from('admin_invitations')
    const hours = (Date.parse(`${row.expires_at}Z`.replace(' ', 'T')) - Date.now()) / 3_600_000
    if (typeof row.expires_at === 'string') assert.closeTo(hours, 24, 0.1)
    const replaced = await choose(older)
    assert.equal(replaced.status, 410)

    await db.from('admin_invitations').update({ expires_at: ago({ seconds: 1 }) })
    const late = await choose(newer)
    assert.equal(late.status, 410)
    const opened = await get(newer)
    assert.equal(opened.status, 410)

    const { path } = await makeLink(kim)
    const first = await choose(path)
    assert.equal(first.status, 303)
    const second = await choose(path, 'another staple')
    const third = await get(path)
    assert.deepEqual([second.status, third.status], [410, 410])
    const { hashedPassword } = await AdminUser.findOrFail(kim.id)
    assert.isTrue(await hash.verify(hashedPassword, NEW))
  }).tags(['@database'])

  test('[U12] opening a password link changes nothing', async ({ assert }) => {
    const { path } = await makeLink(await invited())
    const before = await allRows()
    for (const method of ['GET', 'HEAD', 'GET']) await call(method, path)
    assert.equal(await allRows(), before)
    const { status } = await choose(path)
    assert.equal(status, 303)
  })

  test('[U12] of several concurrent requests with one password link, one sets the password', async ({
    assert,
  }) => {
    const kim = await invited()
    const { path } = await makeLink(kim)
    const passwords = Array.from({ length: 5 }, (_, index) => `battery staple ${index}`)
    const responses = await Promise.all(passwords.map((password) => choose(path, password)))
    const statuses = responses.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [303, 410, 410, 410, 410])
    const { hashedPassword } = await AdminUser.findOrFail(kim.id)
    const winner = passwords[statuses.indexOf(303)]
    assert.isTrue(await hash.verify(hashedPassword, winner))
  }).tags(['@database'])

  test('[U12, B7] a reset ends all sessions; until then the current password stays valid', async ({
    assert,
  }) => {
    const kim = await makeUser('kim', { isSuperuser: false })
    const own = await cookiesOf(kim)
    const { path, response } = await makeLink(kim)
    assert.include(response.text, 'Password link for kim')
    const still = await login('kim', PASSWORD)
    assert.equal(still.status, 303)
    assert.isTrue(await isSignedIn(own))
    await choose(path)
    assert.isFalse(await isSignedIn(own))
    const previous = await login('kim', PASSWORD)
    assert.equal(previous.status, 401)
  })

  test('[U12] a new password set by any other method invalidates the password link', async ({
    assert,
  }) => {
    const kim = await makeUser('kim', { isSuperuser: false })
    const own = { cookie: await cookiesOf(kim) }
    const { path: first } = await makeLink(kim)
    await sendForm(
      '/admin/account/password',
      { current_password: PASSWORD, password: NEW, password_again: NEW },
      own
    )
    const { path: second } = await makeLink(kim)
    const changed = await sendForm(
      `${USERS}/form_update/${kim.id}`,
      { password: 'third staple' },
      { cookie }
    )
    assert.equal(changed.status, 303)
    for (const path of [first, second]) {
      const { status } = await choose(path, 'fourth staple')
      assert.equal(status, 410)
    }
  })

  test('[U12, U8] a password link does not remove a second factor, and does not log in', async ({
    assert,
  }) => {
    const kim = await makeUser('kim', { isSuperuser: false })
    const { code } = await giveFactor(kim)
    const { path } = await makeLink(kim)
    const chosen = await choose(path)
    assert.notProperty(receivedCookies(chosen), 'session_id')
    const first = await login('kim', NEW)
    assert.equal(first.headers.get('location'), '/admin/login/second')
    const step = { cookie: cookiesFrom(first) }
    const second = await sendForm('/admin/login/second', { code: code() }, step)
    assert.equal(second.headers.get('location'), '/admin')
  })

  test('[U12] the password link of a deleted user is invalid', async ({ assert }) => {
    const kim = await invited()
    const { path } = await makeLink(kim)
    const { headers } = await call('DELETE', `${USERS}/crud/${kim.id}`, { headers: { cookie } })
    assert.isNotNull(headers)
    const again = await invited()
    assert.notEqual(await AdminUser.find(again.id), null)
    const [opened, sent] = [await get(path), await choose(path)]
    assert.deepEqual([opened.status, sent.status], [410, 410])
    const missing = await sendForm(`${USERS}/invite/${kim.id + 1000}`, '', { cookie })
    assert.equal(missing.status, 404)
  }).tags(['@database'])

  test('[U12] all invalid password links get the same response, and too many of them are refused', async ({
    assert,
  }) => {
    const { path: known } = await makeLink(await invited())
    const gone = await get(`/admin/invitation/${'A'.repeat(43)}`)
    for (const path of [
      'x',
      '%00',
      "' or 1=1 --",
      'A'.repeat(5000),
      `${known.split('/').at(-1)}A`,
    ]) {
      const response = await get(`/admin/invitation/${encodeURIComponent(path)}`)
      if (response.status === 410) assert.equal(textOf(response.text), textOf(gone.text))
      else assert.include([400, 404, 414], response.status, path)
    }
    await Promise.all(Array.from({ length: 60 }, () => get(`/admin/invitation/${'B'.repeat(43)}`)))
    const refused = await get(known)
    assert.equal(refused.status, 429)
    assert.isAbove(Number(refused.headers.get('retry-after')), 0)
  })

  test('[U12, U13, B9] the page of a password link refuses weak passwords and cross-site requests, and the link stays valid', async ({
    assert,
  }) => {
    const { path } = await makeLink(await invited())
    for (const [password, again, message] of [
      ['short', 'short', '8 characters at least'],
      ['password1', 'password1', 'one of the most common ones'],
      ['kim-12345', 'kim-12345', 'The password is the user name'],
      ['localhost1', 'localhost1', 'The password is a name of this site'],
      [NEW, `${NEW}!`, 'The two passwords differ.'],
    ]) {
      const { status, text } = await choose(path, password, again)
      assert.equal(status, 422)
      assert.include(textOf(text), message)
      assert.notInclude(text, `"${password}"`)
    }
    const crossing = await choose(path, NEW, NEW, { 'sec-fetch-site': 'cross-site' })
    assert.equal(crossing.status, 403)
    const array = await sendForm(path, `password[]=${NEW}&password_again[]=${NEW}`)
    assert.equal(array.status, 422)
    const { status } = await choose(path)
    assert.equal(status, 303)
  })

  test('[U12, B13] only superusers can create password links', async ({ assert }) => {
    const kim = await makeUser('kim', { isSuperuser: false })
    const { response } = await makeLink(kim, await cookiesOf(kim))
    assert.equal(response.status, 403)
    const stranger = await sendForm(`${USERS}/invite/${kim.id}`, '')
    assert.equal(stranger.status, 303)
    assert.isEmpty(await db.from('admin_invitations'))
  })

  test("[U12, B11] a new user without an invitation needs a password, and one with an invitation can't have one", async ({
    assert,
  }) => {
    const headers = { cookie }
    for (const [json, status] of [
      [{ username: 'one' }, 422],
      [{ username: 'one', invite: false }, 422],
      [{ username: 'one', invite: true, password: NEW }, 422],
      [{ username: 'one', invite: true }, 201],
      [{ username: 'two', password: NEW, email: 'two@example.com' }, 201],
      [{ username: 'three', password: NEW, email: 'nowhere' }, 422],
    ] as const) {
      const response = await call('POST', `${USERS}/crud`, { json, headers })
      assert.equal(response.status, status, JSON.stringify(json))
      assert.notInclude(response.text, 'assword":')
    }
    const one = await AdminUser.findByOrFail('username', 'one')
    assert.equal(one.hashedPassword, '!')
  })

  test('[U12] the password link is mailed if the application can send mail and the user has an address', async ({
    assert,
  }) => {
    const sent: Array<Record<string, string>> = []
    const message = (one: Record<string, string>) => {
      const self: any = {}
      for (const part of ['to', 'subject', 'text']) {
        self[part] = (text: string) => ((one[part] = text), self)
      }
      return self
    }
    let isDown = false
    const mailer = {
      async send(compose: (message: unknown) => void) {
        if (isDown) throw new Error('connect ECONNREFUSED')
        const one = {}
        compose(message(one))
        sent.push(one)
      },
    }
    app.container.bindValue('mail.manager' as never, mailer as never)
    try {
      const kim = await invited('kim', { email: 'kim@example.com' })
      const { response, path } = await makeLink(kim)
      assert.include(response.text, 'It was sent to kim@example.com.')
      assert.equal(sent[0].to, 'kim@example.com')
      assert.include(sent[0].text, path)
      assert.notInclude(sent[0].subject, path)
      const { response: none } = await makeLink(await invited('lee'))
      assert.notInclude(none.text, 'It was sent')
      assert.lengthOf(sent, 1)
      isDown = true
      const { response: lost } = await makeLink(kim)
      assert.equal(lost.status, 200)
      assert.include(lost.text, 'It could not be sent by mail.')
    } finally {
      const bindings = app.container as any
      bindings.restore?.('mail.manager')
    }
  })
})
