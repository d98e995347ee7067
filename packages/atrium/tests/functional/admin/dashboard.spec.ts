import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import emitter from '@adonisjs/core/services/emitter'
import type { AdminSite, AdminUser, ModelView } from '#admin'
import { DateTime } from 'luxon'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'

const OWN = [
  'AdminUser',
  'AdminRole',
  'AdminSavedView',
  'AdminSession',
  'AdminAccessToken',
  'AdminWebhook',
  'AdminTokenBlacklist',
]

async function addUtensils(...names: string[]) {
  const now = DateTime.utc().toFormat('yyyy-MM-dd HH:mm:ss')
  await db.table('utensils').multiInsert(
    names.map((name) => ({
      name,
      description: '',
      category: 'x',
      price: 1,
      created_at: now,
    }))
  )
}

/** Counts on a page by model name: the number, or the dash. */
function counts(text: string): Record<string, string> {
  const links = text.matchAll(/<a href="([^"]*)" id="count-(\w+)">(.*?)<\/a>/gs)
  return Object.fromEntries(
    [...links].map(([, , name, inner]) => {
      const [, number] = /<span class="number"[^>]*>(?:<span[^>]*>)?([^<]*)/.exec(inner)!
      return [name, number.trim()]
    })
  )
}

/** Numbers of the table below the chart, by day. */
function createdPerDay(text: string): Array<readonly [string, number]> {
  const rows = text.matchAll(/<td>(\d{4}-\d\d-\d\d)<\/td>\s*<td class="number">(\d+)<\/td>/g)
  return [...rows].map(([, day, count]) => [day, Number(count)] as const)
}

const sumOf = (days: Array<readonly [string, number]>) =>
  days.reduce((sum, [, count]) => sum + count, 0)

test.group('Admin | dashboard', (group) => {
  let site: AdminSite
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('utensils').delete()
    site = await adminSite()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  async function page(path = '/admin', as = cookie) {
    const response = await get(path, { headers: { cookie: as } })
    return { ...response, counts: counts(response.text) }
  }

  /** Adds a view to the site until the end of the test. */
  function addView(view: Partial<ModelView> & { name: string }): () => void {
    const original = site.models.get('Utensil')!
    const copy = Object.create(original, Object.getOwnPropertyDescriptors(original))
    for (const [name, value] of Object.entries({ label: view.name, ...view })) {
      Object.defineProperty(copy, name, { value })
    }
    site.models.set(view.name, copy)
    return () => site.models.delete(view.name)
  }

  test('[S24, B23] every model is shown with its count and a link', async ({ assert }) => {
    await addUtensils('Lamp', 'Desk')
    const { status, text, headers, counts: counted } = await page()
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.equal(counted.Utensil, '2')
    assert.include(text, '<a href="/admin/Utensil/" id="count-Utensil">')
    const shown = [...site.models.values()].filter((view) => view.may('view'))
    assert.sameMembers(
      Object.keys(counted),
      shown.map(({ name }) => name)
    )
  })

  test('[B23] a model with a creation date has a trend of two weeks, read by the query of the chart', async ({
    assert,
  }) => {
    await addUtensils('Lamp', 'Desk', 'Old')
    const old = DateTime.utc().minus({ days: 14 }).toFormat('yyyy-MM-dd HH:mm:ss')
    await db.from('utensils').where('name', 'Old').update({ created_at: old })
    const statements: string[] = []
    const stop = emitter.on('db:query', ({ sql }) => void statements.push(sql))
    const connections = [...db.manager.connections.values()]
    connections.forEach(({ config }) => (config.debug = true))
    const { text } = await page().finally(() => {
      stop()
      connections.forEach(({ config }) => (config.debug = false))
    })
    assert.isAtMost(statements.filter((sql) => /utensils/.test(sql)).length, 2)
    const [, card] = /id="count-Utensil">(.*?)<\/a>/s.exec(text)!
    assert.include(card, '2 new in 14 days')
    assert.lengthOf([...card.matchAll(/<rect/g)], 14)
    assert.lengthOf([...card.matchAll(/<rect class="trend-none"/g)], 13)
    assert.equal(sumOf(createdPerDay(text)) >= 3, true)
    const [, sessions] = /id="count-AdminSession">(.*?)<\/a>/s.exec(text)!
    assert.notInclude(sessions, 'trend')
    await db.from('utensils').update({ created_at: old })
    const later = await page()
    const [, idle] = /id="count-Utensil">(.*?)<\/a>/s.exec(later.text)!
    assert.notInclude(idle, 'trend')
  })

  test('[B23] the dashboard does not count soft-deleted records', async ({ assert }) => {
    await addUtensils('Lamp', 'Desk')
    await db.from('utensils').where('name', 'Lamp').update({ is_deleted: true })
    const { counts: counted } = await page()
    assert.equal(counted.Utensil, '1')
  })

  test('[B23] the dashboard does not count ended sessions', async ({ assert }) => {
    await cookiesOf(jo)
    const left = await cookiesOf(jo)
    await get('/admin/logout', { headers: { cookie: left } })
    assert.lengthOf(await db.from('admin_sessions'), 3)
    const { counts: counted } = await page()
    assert.equal(counted.AdminSession, '2')
  })

  test('[B23] the admin site’s own models are in a separate group', async ({ assert }) => {
    const { text, counts: counted } = await page()
    const [models, management] = text.split('<h2 id="dashboard-management">Management</h2>')
    assert.includeMembers(Object.keys(counts(models)), ['Utensil'])
    for (const name of OWN) assert.notProperty(counts(models), name)
    assert.sameMembers(Object.keys(counts(management)), OWN)
    assert.equal(counted.AdminUser, '1')
    assert.equal(counted.AdminSession, '1')
    assert.equal(counted.AdminAccessToken, '0')
    assert.equal(counted.AdminTokenBlacklist, '0')
  })

  test('[B13] a demoted superuser no longer sees the admin site’s own models', async ({
    assert,
  }) => {
    await db.from('admin_users').update({ is_superuser: false })
    const { counts: counted } = await page()
    for (const name of OWN) assert.notProperty(counted, name)
  })

  test('[B23] a model without the view action is not on the dashboard', async ({
    assert,
    cleanup,
  }) => {
    cleanup(addView({ name: 'Shown' }))
    cleanup(addView({ name: 'Secret', may: () => false }))
    const { counts: counted, text } = await page()
    assert.property(counted, 'Shown')
    assert.notInclude(text, 'Secret')
  })

  test('[B23] a failed count is shown as a dash, and the others are shown', async ({
    assert,
    cleanup,
  }) => {
    await addUtensils('Lamp')
    const crud = {
      count: async () => {
        throw new Error('no such table: secret_table')
      },
    }
    cleanup(addView({ name: 'Broken', crud: crud as any }))
    for (const path of ['/admin', '/admin/dashboard-content']) {
      const { status, text, counts: counted } = await page(path)
      assert.equal(status, 200)
      assert.equal(counted.Broken, '–')
      assert.equal(counted.Utensil, '1')
      assert.include(text, 'Could not be counted')
      assert.notInclude(text, 'secret_table')
    }
  })

  test('[B23] if the chart query fails for one model, the others are still drawn', async ({
    assert,
    cleanup,
  }) => {
    const empty = await page()
    const before = sumOf(createdPerDay(empty.text))
    await addUtensils('Lamp')
    const client = () => {
      throw new Error('no such connection')
    }
    cleanup(addView({ name: 'Broken', client: client as any }))
    const { status, text, counts: counted } = await page()
    assert.equal(status, 200)
    assert.equal(counted.Broken, '–')
    assert.include(text, '<svg')
    assert.match(text, /\d+ records? w(as|ere) created/)
    assert.equal(sumOf(createdPerDay(text)), before + 1)
  })

  test('[B23] a dashboard with fifty models shows all of them', async ({ assert, cleanup }) => {
    for (let i = 0; i < 50; i++) cleanup(addView({ name: `Model${i}` }))
    const { status, text, counts: counted } = await page()
    assert.equal(status, 200)
    for (let i = 0; i < 50; i++) {
      assert.equal(counted[`Model${i}`], '0')
      assert.include(text, `href="/admin/Model${i}/"`)
    }
  })

  test('[B23] the chart shows the records created on each of the last 30 days', async ({
    assert,
  }) => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const empty = await page()
    const others = createdPerDay(empty.text)
    await addUtensils('Lamp', 'Desk', 'Sofa')
    const rows = await db.from('utensils').orderBy('id')
    const created = [`${day(3)} 12:00:00`, `${day(3)} 00:00:00`, `${day(40)} 12:00:00`]
    for (const [index, { id }] of rows.entries()) {
      await db.from('utensils').where('id', id).update({ created_at: created[index] })
    }
    const before = day(0)
    const { text } = await page()
    const cells = createdPerDay(text)
    assert.lengthOf(cells, 30)
    const byDay = new Map(cells)
    if (before === day(0)) assert.equal(byDay.get(day(3)), (new Map(others).get(day(3)) ?? 0) + 2)
    assert.equal(sumOf(cells), sumOf(others) + 2)
  })

  test('[B23] the chart of the dashboard does not count soft-deleted records', async ({
    assert,
  }) => {
    await addUtensils('Lamp', 'Desk')
    const before = await page()
    await db.from('utensils').where('name', 'Lamp').update({ is_deleted: true })
    const after = await page()
    assert.equal(sumOf(createdPerDay(before.text)) - sumOf(createdPerDay(after.text)), 1)
  })

  test('[S24] the content of the dashboard can be requested without the page around it', async ({
    assert,
  }) => {
    const { status, text, counts: counted } = await page('/admin/dashboard-content')
    assert.equal(status, 200)
    assert.match(text.trim(), /^<div id="dashboard-content"/)
    assert.notMatch(text, /<html|<body|<nav|<head/)
    assert.property(counted, 'Utensil')
  })

  test('[S24, S16] the dashboard shows the title of the site, the theme and the user', async ({
    assert,
  }) => {
    const { text } = await page()
    assert.include(text, `<title>Dashboard · ${site.title}</title>`)
    assert.match(text, /<html lang="en" class="light-theme">/)
    assert.include(text, 'Logged in as jo')
    assert.match(text, /<nav class="side"[\s\S]*href="\/admin\/Utensil\/"[\s\S]*<\/nav>/)
    const dark = await page('/admin', `${cookie}; admin_theme=dark-theme`)
    assert.match(dark.text, /<html lang="en" class="dark-theme dark">/)
    const system = await page('/admin', `${cookie}; admin_theme=system-theme`)
    assert.match(system.text, /<html lang="en" class="system-theme">/)
    const odd = await page('/admin', `${cookie}; admin_theme="><script>`)
    assert.match(odd.text, /<html lang="en" class="light-theme">/)
  })

  test('[B11] no page contains a hash', async ({ assert }) => {
    await db.from('admin_users').update({ hashed_password: '$scrypt$the-hash' })
    for (const path of ['/admin', '/admin/dashboard-content', '/admin/nothing']) {
      const { text } = await page(path)
      assert.notMatch(text, /the-hash|hashed_password|hashedPassword/)
    }
  })

  test('[B1, B23] labels on the dashboard are escaped', async ({ assert, cleanup }) => {
    cleanup(addView({ name: 'Odd', label: '<b>"odd"</b>', group: '<i>group</i>' } as any))
    const { text } = await page()
    assert.include(text, '&lt;b&gt;&quot;odd&quot;&lt;/b&gt;')
    assert.notMatch(text, /<b>|<i>group/)
  })

  test('[P14, B23] counts and chart cover only records that the viewer can see', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => void (await db.from('dashboard_memos').delete()))
    const created = DateTime.utc().toFormat('yyyy-MM-dd HH:mm:ss')
    const recordsOf = ({ text }: { text: string }) =>
      Number(/([\d,]+) records? w/.exec(text)?.[1] ?? 0)
    const before = recordsOf(await page())
    await db
      .table('dashboard_memos')
      .multiInsert([
        { owner: 'jo', created_at: created },
        { owner: 'jo', created_at: created },
        ...Array(5).fill({ owner: 'al', created_at: created }),
      ])
    const mine = await page()
    assert.equal(mine.counts.DashboardMemo, '2')
    assert.equal(recordsOf(mine), before + 2)

    const lines = captureLog(cleanup)
    const refused = await page('/admin', await cookiesOf(await makeUser('banned')))
    assert.equal(refused.status, 200)
    assert.notProperty(refused.counts, 'DashboardMemo')
    assert.notInclude(refused.text, '/admin/DashboardMemo/')
    assert.equal(recordsOf(refused), before)
    assert.isEmpty(lines().filter(({ level }) => level >= ERROR_LEVEL))
  })
})
