import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { Play } from '#tests/fixtures/stages'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { textOf, unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const PREFERENCES = '/admin/account/preferences'
const FOREIGN = { 'origin': 'http://evil.test', 'sec-fetch-site': 'cross-site' }

/** Keys that the script of a page knows */
const keysIn = (text: string) => unescape(/data-keys="([^"]*)"/.exec(text)?.[1] ?? 'none')
const isChecked = (text: string, value: string) =>
  new RegExp(`<input[^>]*value="${value}"[^>]* checked>`).test(text)

test.group('Admin | own account', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    return () => restoreRoles()
  })

  const page = (path: string, as = cookie, headers: Record<string, string> = {}) =>
    get(path, { headers: { cookie: as, accept: 'text/html', ...headers } })
  const knownKeys = async (as = cookie) => {
    const { text } = await page('/admin', as)
    return keysIn(text)
  }
  const prefer = (fields: string, as = cookie, headers: Record<string, string> = {}) =>
    sendForm(PREFERENCES, fields, { cookie: as, ...headers })

  test('[U1, U7] a user without a role can open only the account, and every page redirects there', async ({
    assert,
  }) => {
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: [] }))
    const dashboard = await page('/admin', kim)
    assert.match(dashboard.text, /<a class="viewer" href="\/admin\/account"/)
    const { status, text } = await page('/admin/account', kim)
    assert.equal(status, 200)
    assert.include(textOf(text), 'Logged in as kim')
    const keys = await page('/admin/keys', kim)
    assert.equal(keys.status, 200)
    const response = await prefer('single_keys=off', kim)
    assert.equal(response.headers.get('location'), '/admin/account')
    const after = await page('/admin/account', `${kim}; ${cookiesFrom(response)}`)
    assert.isFalse(isChecked(after.text, 'on'))
    assert.include(after.text, 'Preferences saved')
  })

  test('[U7, B6] the account requires a login', async ({ assert }) => {
    for (const path of ['/admin/account', '/admin/keys']) {
      const { status, headers } = await page(path, '')
      assert.equal(status, 303)
      assert.match(headers.get('location')!, /\/admin\/login/)
    }
    const sent = await prefer('single_keys=off', '')
    assert.match(sent.headers.get('location')!, /\/admin\/login/)
  })

  test('[L12] a user switches single-key shortcuts off and on for all their pages, and for no other user', async ({
    assert,
  }) => {
    const bob = await cookiesOf(await makeUser('bob'))
    const before = await knownKeys()
    assert.include(before, 'j down')
    await prefer('single_keys=off')
    const elsewhere = await cookiesOf(ada)
    for (const path of ['/admin', '/admin/Play/', '/admin/account', '/admin/keys']) {
      const { text } = await page(path, elsewhere)
      assert.equal(keysIn(text), 'Mod+/ help Mod+k palette Mod+s save Mod+Enter save', path)
    }
    assert.equal(await knownKeys(bob), before)
    await prefer('single_keys=off&single_keys=on')
    assert.equal(await knownKeys(), before)
  }).tags(['@database'])

  test('[L12, U7] the preferences form changes only the values that it sends, and ignores invalid ones', async ({
    assert,
  }) => {
    await prefer('single_keys=off&density=compact&theme=dark-theme')
    const set = await page('/admin/account', `${cookie}; admin_theme=dark-theme`)
    for (const value of ['compact', 'dark-theme']) assert.isTrue(isChecked(set.text, value), value)
    const { headers } = await prefer('density=huge&theme=pink&single_keys=maybe&user_id=1')
    assert.isNull(headers.get('set-cookie')?.match(/admin_theme/) ?? null)
    const { text } = await page('/admin/account')
    assert.isTrue(isChecked(text, 'compact'))
    assert.isFalse(isChecked(text, 'on'))
  })

  test('[U7] the theme chosen in the account is stored in the browser', async ({ assert }) => {
    const { admin_theme: theme } = receivedCookies(await prefer('theme=dark-theme'))
    assert.equal(theme.value, 'dark-theme')
    assert.include(theme.attributes, 'path=/admin')
  })

  test('[L6, U7] the density preference applies to lists without a density of their own', async ({
    assert,
  }) => {
    await Play.query().delete()
    await Play.create({ title: 'Hamlet', town: 'east', note: '' })
    const densityOf = async (model: string) => {
      const { text } = await page(`/admin/${model}/`)
      return /id="list-content"[^>]* data-density="(\w+)"/.exec(text)?.[1]
    }
    const choose = (density: string) =>
      sendForm('/admin/Play/columns', `order=title&columns=title&density=${density}`, { cookie })
    await prefer('density=compact')
    assert.equal(await densityOf('Play'), 'compact')
    await choose('comfortable')
    assert.equal(await densityOf('Play'), 'comfortable')
    assert.equal(await densityOf('Stage'), 'compact')
    await choose('compact')
    await prefer('density=comfortable')
    assert.equal(await densityOf('Play'), 'comfortable')
  })

  test('[U7, B3] the account redirects only to pages of the site', async ({ assert }) => {
    for (const [next, place] of [
      ['/admin/keys', '/admin/keys'],
      ['//evil.test/', '/admin/account'],
      ['/admin/logout', '/admin/account'],
    ]) {
      const { status, headers } = await prefer(`${new URLSearchParams({ next })}`)
      assert.equal(status, 303)
      assert.equal(headers.get('location'), place)
    }
  })

  test('[U7] requests of another site, and of a superuser viewing as a role, change nothing', async ({
    assert,
  }) => {
    const forged = await prefer('single_keys=off', cookie, FOREIGN)
    assert.equal(forged.status, 403)
    const role = await makeRole('Clerk', { Play: { actions: ['view'] } })
    await sendForm(`/admin/AdminRole/view_as/${role.id}`, '', { cookie })
    const refused = await prefer('single_keys=off')
    assert.equal(refused.status, 403)
    const own = await page('/admin/account')
    assert.equal(own.status, 200)
    await sendForm('/admin/view-as/stop', '', { cookie })
    assert.include(await knownKeys(), 'j down')
  })

  test('[U7, E2] a change of the preferences is logged', async ({ assert }) => {
    await prefer('single_keys=off')
    const { events } = await adminSite()
    await events.settle()
    const event = await db.from('admin_event_log').where('event_type', 'VIEW').first()
    assert.equal(event?.username, 'ada')
    assert.include(String(event?.details), 'preferences')
  })

  test('[L12] the list of keyboard shortcuts is a page, and htmx receives it without the layout for the dialog', async ({
    assert,
  }) => {
    const whole = await page('/admin/keys')
    const part = await page('/admin/keys', cookie, { 'hx-request': 'true' })
    assert.include(whole.text, '<html')
    assert.notInclude(part.text, '<html')
    assert.include(part.headers.get('vary'), 'HX-Request')
    for (const { text } of [whole, part]) {
      assert.match(
        text,
        /<dt>Next row<\/dt>\s*<dd>\s*<span class="keys-combination">\s*<kbd class="kbd">j</
      )
      assert.isTrue(isChecked(text, 'on'))
    }
    await prefer('single_keys=off')
    const off = await page('/admin/keys', cookie, { 'hx-request': 'true' })
    assert.isFalse(isChecked(off.text, 'on'))
  })

  test('[L12, U4] the page of keyboard shortcuts lists only models that the viewer can see', async ({
    assert,
  }) => {
    await makeRole('Stage hand', { Stage: { actions: ['view'] } })
    const lou = await cookiesOf(
      await makeUser('lou', { isSuperuser: false, roles: ['Stage hand'] })
    )
    const { text } = await page('/admin/keys', lou)
    assert.match(text, /href="\/admin\/Stage\/" title="Stages" data-go="s"/)
    assert.match(text, /<dt dir="auto">Stages<\/dt>\s*<dd><kbd class="kbd">g<.*<kbd class="kbd">s</)
    const places = [...text.matchAll(/<dt dir="auto">([^<]*)</g)].map(([, label]) => label)
    assert.deepEqual(places, ['Dashboard', 'Your account', 'Stages', 'Jobs'])
  })

  test('[L12] pages are shown without single-key shortcuts if preferences can’t be read', async ({
    assert,
    cleanup,
  }) => {
    const { preferences } = await adminSite()
    const { read } = preferences
    cleanup(() => {
      preferences.read = read
    })
    preferences.read = async () => {
      throw new Error('gone')
    }
    const log = captureLog(cleanup)
    const { status, text } = await page('/admin')
    assert.equal(status, 200)
    assert.notInclude(keysIn(text), 'j down')
    const errors = log().filter(({ level }) => level >= ERROR_LEVEL)
    assert.sameMembers(
      errors.map(({ msg }) => msg),
      [
        'The keyboard preference could not be read',
        'How the user has arranged the dashboard is not known',
      ]
    )
  }).tags(['@database'])
})
