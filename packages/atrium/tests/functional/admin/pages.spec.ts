import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminPage, type AdminSite } from '#admin'
import { addPage } from '#admin/pages/find_pages'
import { captureLog } from '#tests/helpers/captured_log'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import type { PermissionsInput } from '#admin/models/permissions_document'

const PATHS = ['/admin/tides', '/admin/reports/harbour', '/admin/whole-page']

test.group('Admin | pages of the application', (group) => {
  let site: AdminSite
  let root: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('utensils').delete()
    site = await adminSite()
    root = await cookiesOf(await makeUser('root'))
    return async () => {
      Object.assign(site, { navigation: {} })
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  const page = (path: string, cookie = root) => get(path, { headers: { cookie } })
  const sidebar = (text: string) => /<nav class="side"[^]*?<\/nav>/.exec(text)![0]

  async function withRole(permissions: PermissionsInput): Promise<string> {
    await makeRole('Sailor', permissions)
    const user = await makeUser('sam', { isSuperuser: false })
    await giveRoles(user, ['Sailor'])
    return await cookiesOf(user)
  }

  test('[G1] a page shows its template with its data in the layout of the site', async ({
    assert,
  }) => {
    const { status, text, headers } = await page('/admin/tides')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.match(text, /<title>Tides &amp; &lt;b&gt;waves&lt;\/b&gt; · /)
    assert.include(text, '<h1>Tides &amp; &lt;b&gt;waves&lt;/b&gt;</h1>')
    assert.include(text, `<p class="depth">7 ${site.title} tides</p>`)
    assert.include(text, '<nav class="side"')
    assert.lengthOf([...text.matchAll(/<!doctype html>/g)], 1)
  })

  test('[G1] a template with a custom heading or layout gets no second one', async ({ assert }) => {
    for (const path of PATHS.slice(1)) {
      const { status, text } = await page(path)
      assert.equal(status, 200)
      assert.lengthOf([...text.matchAll(/<h1/g)], 1)
      assert.lengthOf([...text.matchAll(/<!doctype html>/g)], 1)
    }
  })

  test('[G1] a page is in the sidebar, in its group, and in the search', async ({ assert }) => {
    const { text } = await page('/admin/tides')
    assert.match(
      sidebar(text),
      /Sea<\/h2>[^]*<a href="\/admin\/tides" title="Tides &amp;[^>]*aria-current="page"[^>]*>\s*<svg[^>]*><path d="M4 6h16"/
    )
    assert.match(sidebar(text), /Pages<\/h2>[^]*href="\/admin\/reports\/harbour"/)
    const found = await page('/admin/search?q=waves')
    assert.match(
      found.text,
      /<a href="\/admin\/tides">(<bdi>)?Tides &amp; &lt;b&gt;waves&lt;\/b&gt;(<\/bdi>)?<\/a>/
    )
  })

  test('[G1, U4] a role allows the pages in its list; others are a 404 and not in sidebar and search', async ({
    assert,
  }) => {
    const cookie = await withRole({ '*': { actions: ['*'] }, 'pages': ['sea'] })
    const { status, text } = await page('/admin/reports/harbour', cookie)
    assert.equal(status, 200)
    assert.include(sidebar(text), 'href="/admin/reports/harbour"')
    assert.notInclude(sidebar(text), 'tides')
    for (const path of ['/admin/tides', '/admin/whole-page']) {
      const refused = await page(path, cookie)
      assert.equal(refused.status, 404)
      assert.notInclude(refused.text, 'waves')
    }
    const found = await page('/admin/search?q=a', cookie)
    assert.include(found.text, 'Harbour')
    assert.notInclude(found.text, 'waves')
  })

  test('[G1] the models entry * allows no page, and the pages entry * allows all pages', async ({
    assert,
  }) => {
    const cookie = await withRole({ '*': { actions: ['*'] } })
    for (const path of PATHS) {
      const { status } = await page(path, cookie)
      assert.equal(status, 404)
    }
    await db.from('admin_roles').where('name', 'Sailor').delete()
    await db.from('admin_users').where('username', 'sam').delete()
    const all = await withRole({ Utensil: { actions: ['view'] }, pages: ['*'] })
    for (const path of PATHS) {
      const { status } = await page(path, all)
      assert.equal(status, 200)
    }
  })

  test('[G1, B6] a page of the application requires a login', async ({ assert }) => {
    for (const path of PATHS) {
      const { status, headers } = await get(path)
      assert.equal(status, 303)
      assert.match(headers.get('location')!, /^\/admin\/login\?/)
    }
  })

  test('[G1] LucidCrud calls in the data of a page have the permissions of the user', async ({
    assert,
  }) => {
    await db.table('utensils').insert({
      name: 'Whisk',
      description: '',
      category: 'x',
      price: 1,
      created_at: '2026-01-01 00:00:00',
    })
    const { text } = await page('/admin/tides')
    assert.include(text, '<li>Whisk</li>')
    const cookie = await withRole({ Utensil: { actions: ['update'] }, pages: ['tides'] })
    const refused = await page('/admin/tides', cookie)
    assert.equal(refused.status, 403)
    assert.notInclude(refused.text, 'Whisk')
  })

  test('[G1] an error while loading the data of a page is an error page without details', async ({
    assert,
    cleanup,
  }) => {
    captureLog(cleanup)
    const { status, text } = await page('/admin/tides?fail=1')
    assert.equal(status, 500)
    assert.notInclude(text, 'no such tide')
  })

  test('[G1] the option navigation orders groups and adds links with badges', async ({
    assert,
    cleanup,
  }) => {
    captureLog(cleanup)
    Object.assign(site, {
      navigation: {
        groups: ['Help', 'Sea'],
        links: [
          { label: 'A <b>', href: '/help?a=1&b=2', group: 'Help', badge: () => 12_345 },
          { label: 'None', href: 'https://example.com/', badge: async () => 0 },
          {
            label: 'Failing',
            href: '/failing',
            badge: () => {
              throw new Error('no')
            },
          },
          { label: 'Odd', href: '/odd', badge: () => '<b>5</b>' as never },
          { label: 'Slow', href: '/slow', badge: () => new Promise<never>(() => {}) },
        ],
      },
    })
    const { status, text } = await page('/admin/tides')
    assert.equal(status, 200)
    const shown = sidebar(text)
    const groups = [...shown.matchAll(/data-group="([^"]*)"/g)].map(([, label]) => label)
    assert.deepEqual(groups.slice(0, 2), ['Help', 'Sea'])
    assert.include(groups, 'Links')
    assert.match(shown, /<a href="\/help\?a=1&amp;b=2" title="A &lt;b&gt;"/)
    assert.deepEqual(
      [...shown.matchAll(/<span class="side-badge">([^<]*)</g)].map(([, badge]) => badge),
      ['12,345']
    )
    assert.match(shown, /href="https:\/\/example.com\/" title="None" rel="noopener noreferrer"/)
    assert.notInclude(shown, '<b>')
    const found = await page('/admin/search?q=failing')
    assert.match(found.text, /<a href="\/failing">(<bdi>)?Failing</)
  })

  test('[G1] the badge of a link is computed with the permissions of the user', async ({
    assert,
  }) => {
    const view = site.models.get('Utensil')!
    await db.table('utensils').insert({
      name: 'Whisk',
      description: '',
      category: 'x',
      price: 1,
      created_at: '2026-01-01 00:00:00',
    })
    const links = [{ label: 'Whisks', href: '/w', badge: async () => (await view.crud.count())! }]
    Object.assign(site, { navigation: { links } })
    const own = await page('/admin/tides')
    assert.include(own.text, '<span class="side-badge">1</span>')
    const cookie = await withRole({ pages: ['*'] })
    const others = await page('/admin/whole-page', cookie)
    assert.equal(others.status, 200)
    assert.notInclude(others.text, 'side-badge')
  })

  test('[G1] the application does not start if a page has an invalid option or a path that is in use', async ({
    assert,
  }) => {
    const make = (members: Record<string, unknown>) => {
      class Odd extends AdminPage {
        path = 'odd'
        label = 'Odd'
        template = 'pages_test::tides'
        constructor() {
          super()
          Object.assign(this, members)
        }
      }
      return () => addPage(site, Odd)
    }
    assert.throws(make({ path: '/odd' }), /The page Odd: path is '\/odd', and must be names/)
    assert.throws(make({ path: '../odd' }), /path is/)
    assert.throws(make({ path: '' }), /path is/)
    assert.throws(make({ label: ' ' }), /label is/)
    assert.throws(make({ icon: '<svg>' }), /icon is/)
    assert.throws(make({ permission: 5 }), /permission is/)
    assert.throws(make({ template: 'nowhere' }), /template 'nowhere', which does not exist/)
    assert.throws(make({ path: 'tides' }), /The page Odd and Tides have the same path 'tides'/)
    assert.throws(make({ path: 'Utensil/more' }), /below the pages of the model Utensil/)
    for (const path of ['account', 'management/jobs', 'assets/x', 'theme', 'search']) {
      assert.throws(make({ path }), /is an address of the engine itself/)
    }
    assert.isUndefined(site.pages.get('odd'))
  })
})
