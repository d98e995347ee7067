import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminUser, userActor } from '#admin'
import { MOST_NOTICES } from '#admin/notices/notices'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { get, patch } from '#tests/helpers/http'
import { textOf } from '#tests/helpers/list_page'
import { captureMail } from '#tests/helpers/mail'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { issueToken } from '#tests/helpers/tokens'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
const NEW = 'battery staple'

test.group('Admin | notices', (group) => {
  let kim: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    kim = await makeUser('kim', { isSuperuser: false })
  })

  const page = async (cookie: string, path = '/admin') => {
    const { text } = await get(path, { headers: { cookie, accept: 'text/html' } })
    return textOf(text)
  }
  const enter = (agent: string, cookie = '') =>
    login('kim', PASSWORD, { headers: { 'user-agent': agent, ...(cookie && { cookie }) } })
  const kinds = async () => {
    const rows = await db.from('admin_notices').orderBy('id')
    return rows.map(({ kind }) => kind)
  }

  test('[U16] a login with a new device is shown in the user’s other sessions until it is dismissed', async ({
    assert,
  }) => {
    const first = await enter(FIREFOX)
    const known = cookiesFrom(first)
    assert.isEmpty(await kinds())
    const { admin_device: device } = receivedCookies(first)
    for (const part of ['httponly', 'samesite=lax', 'path=/admin', 'max-age=31536000']) {
      assert.include(device.attributes, part)
    }
    const second = await enter(SAFARI)
    const stranger = cookiesFrom(second)
    assert.deepEqual(await kinds(), ['new_device'])
    const told = await page(known)
    assert.include(told, 'A new device logged in.')
    assert.include(told, 'Safari on iOS')
    assert.notInclude(await page(stranger), 'Dismiss')
    assert.include(await page(stranger, '/admin/account'), 'A new device logged in.')

    const [{ id }] = await db.from('admin_notices')
    const byStranger = await sendForm(
      '/admin/account/notices',
      { last: String(id) },
      { cookie: stranger }
    )
    assert.equal(byStranger.status, 303)
    assert.include(await page(known), 'Dismiss')
    const seen = await sendForm(
      '/admin/account/notices',
      { last: String(id), next: '/admin/keys' },
      { cookie: known }
    )
    assert.equal(seen.headers.get('location'), '/admin/keys')
    assert.notInclude(await page(known), 'Dismiss')
    const { events } = await adminSite()
    await events.settle()
    const logins = await db.from('admin_event_log').where('event_type', 'LOGIN').orderBy('id')
    assert.deepEqual(
      logins.map(({ details }) => JSON.parse(details)),
      [null, { new_device: true }]
    )
    const { hash } = await db.from('admin_devices').firstOrFail()
    assert.notEqual(hash, device.value)
  }).tags(['@database'])

  test('[U16] a device is recognized after its session has ended, but only for the same user', async ({
    assert,
  }) => {
    const first = await enter(FIREFOX)
    const { admin_device: device } = receivedCookies(first)
    const cookie = `admin_device=${device.value}`
    await enter(SAFARI, cookie)
    assert.isEmpty(await kinds())
    await makeUser('lee', { isSuperuser: false })
    await login('lee', PASSWORD)
    await login('lee', PASSWORD, { headers: { cookie } })
    assert.deepEqual(await kinds(), ['new_device'])
    for (const forged of ['x', '', "' or 1=1", 'A'.repeat(43), 'A'.repeat(5000)]) {
      const { status } = await enter(FIREFOX, `admin_device=${forged}`)
      assert.equal(status, 303)
    }
    assert.lengthOf(await kinds(), 6)
  }).tags(['@database'])

  test('[U16] users without any stored device are notified of a new device as well', async ({
    assert,
  }) => {
    const own = await cookiesOf(kim)
    await enter(SAFARI)
    assert.include(await page(own), 'A new device logged in.')
  })

  test('[U16] users are notified of a new password, by any method, with the name of who set it', async ({
    assert,
  }) => {
    const root = await makeUser('root')
    const boss = await cookiesOf(root)
    const own = await cookiesOf(kim)
    const changed = await sendForm(
      '/admin/account/password',
      { current_password: PASSWORD, password: NEW, password_again: NEW },
      { cookie: own }
    )
    const present = cookiesFrom(changed)
    assert.notInclude(await page(present), 'Dismiss')
    const later = await cookiesOf((await AdminUser.find(kim.id))!)
    assert.include(await page(later), 'Your password was changed.')
    await sendForm(
      `/admin/AdminUser/form_update/${kim.id}`,
      { password: `${NEW}!` },
      { cookie: boss }
    )
    const again = await cookiesOf((await AdminUser.find(kim.id))!)
    assert.include(await page(again), 'Your password was changed. Done by root.')
    assert.include(await page(again), 'and 1 more')
    assert.deepEqual(await kinds(), ['password_changed', 'password_changed'])
    assert.notInclude(JSON.stringify(await db.from('admin_notices')), NEW)
  })

  test('[U16] users are notified of a new email address, by any method, and the previous address gets a mail', async ({
    assert,
  }) => {
    const mails = captureMail()
    const root = await makeUser('root')
    const boss = await cookiesOf(root)
    const own = await cookiesOf(kim)
    const path = `/admin/AdminUser/form_update/${kim.id}`
    const change = (email: string) => sendForm(path, { email }, { cookie: boss })
    await change('kim@example.com')
    assert.deepEqual(await kinds(), ['email_changed'])
    assert.isEmpty(mails)
    assert.include(await page(own), 'The email address of your account was changed. Done by root.')

    await change('kim@example.com')
    assert.lengthOf(await kinds(), 1)
    const edit = `_edit=1&_ids=${kim.id}&email__change=1&email=thief%40example.net`
    await sendForm('/admin/AdminUser/bulk-edit', edit, { cookie: boss })
    await patch(`/admin/AdminUser/crud/${kim.id}`, { email: null }, { headers: { cookie: boss } })
    assert.deepEqual(await kinds(), ['email_changed', 'email_changed', 'email_changed'])
    /* Mails are sent after the response. */
    while (mails.length < 2) await setTimeout(5)
    assert.deepEqual(
      mails.map(({ to }) => to),
      ['kim@example.com', 'thief@example.net']
    )
    const [{ subject, text }] = mails
    assert.include(subject, 'The email address of your account was changed.')
    assert.include(text, 'ask a superuser')
    assert.notInclude(JSON.stringify(mails[0]), 'thief')
    const { events } = await adminSite()
    await events.settle()
    const logged = await db.from('admin_audit_log')
    assert.include(JSON.stringify(logged), 'thief@example.net')
  })

  test('[U16] a superuser who changes their own address is notified in their other sessions', async ({
    assert,
  }) => {
    const root = await makeUser('root')
    const here = await cookiesOf(root)
    const there = await cookiesOf(root)
    await sendForm(
      `/admin/AdminUser/form_update/${root.id}`,
      { email: 'root@example.com' },
      { cookie: here }
    )
    assert.notInclude(await page(here), 'Dismiss')
    const told = await page(there)
    assert.include(told, 'The email address of your account was changed.')
    assert.notInclude(told, 'It was root')
  })

  test('[U16] the owner is notified of a new access token, by its name and without the secret', async ({
    assert,
  }) => {
    const own = await cookiesOf(kim)
    const { token } = await issueToken(kim, ['*'], { name: '<i>ci' })
    assert.include(await page(own), 'The access token <i>ci was created.')
    assert.notInclude(JSON.stringify(await db.from('admin_notices')), token)
    const { text } = await get('/admin', { headers: { cookie: own, accept: 'text/html' } })
    assert.include(text, '&lt;i&gt;ci')
  })

  test('[U16] the notice of a new access token names another user who created it', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const root = await makeUser('root')
    const options = { actor: userActor(root) }
    for (const owner of [kim, root]) {
      await accessTokens.issue(owner, { name: 'ci', abilities: ['*'] }, options)
    }
    const told = 'The access token ci was created.'
    assert.include(await page(await cookiesOf(kim)), `${told} Done by root.`)
    const ofRoot = await page(await cookiesOf(root))
    assert.include(ofRoot, told)
    assert.notInclude(ofRoot, 'Done by')
  })

  test('[U16] users see and dismiss only their own notices, and only the newest ones are stored', async ({
    assert,
  }) => {
    const site = await adminSite()
    const lee = await makeUser('lee', { isSuperuser: false })
    const foreign = await cookiesOf(lee)
    const own = await cookiesOf(kim)
    for (let count = 0; count < MOST_NOTICES + 5; count++) {
      await site.notices.notify(kim, 'factor_added', { name: `key ${count}` })
    }
    assert.lengthOf(await kinds(), MOST_NOTICES)
    assert.notInclude(await page(foreign), 'Dismiss')
    await sendForm('/admin/account/notices', { last: '2147483647' }, { cookie: foreign })
    assert.include(await page(own), `The second factor key ${MOST_NOTICES + 4} was added.`)
    for (const last of ['-1', '0', 'x', '1e99', '', '99999999999']) {
      const { status } = await sendForm(
        '/admin/account/notices',
        { last, next: '//evil.test' },
        { cookie: own }
      )
      assert.equal(status, 303)
    }
    assert.include(await page(own), 'Dismiss')
    const { status } = await get('/admin/account', { headers: { cookie: own } })
    assert.equal(status, 200)
  }).tags(['@database'])

  test('[U16] a login succeeds even if its device can’t be stored', async ({ assert, cleanup }) => {
    const { devices } = await adminSite()
    const note = devices.note.bind(devices)
    devices.note = async () => {
      throw new Error('away')
    }
    cleanup(() => {
      devices.note = note
    })
    const { status } = await enter(FIREFOX)
    assert.equal(status, 303)
  })
})
