import { test } from '@japa/runner'
import { its } from '#tests/helpers/its'
import db from '@adonisjs/lucid/services/db'
import { Notice, Salary, Shift } from '#tests/fixtures/wards'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, get } from '#tests/helpers/http'

test.group('Admin | permissions on pages', (group) => {
  let boss: string
  let clerk: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['ward_salaries', 'ward_notices', 'ward_shifts']) {
      await db.from(table).delete()
    }
    boss = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    clerk = await cookiesOf(await makeUser('kim', { isSuperuser: false }))
  })

  const page = (cookie: string, path: string) => get(`/admin${path}`, { headers: { cookie } })
  const textOf = async (cookie: string, path: string) => await its(page(cookie, path), 'text')

  test('[P14, B23] a model that the viewer cannot see is not in the sidebar and not on the dashboard', async ({
    assert,
  }) => {
    for (const path of ['', '/dashboard-content', '/Notice/']) {
      const isPage = path !== '/dashboard-content'
      const [seen, unseen] = [await textOf(boss, path), await textOf(clerk, path)]
      assert.notInclude(unseen, '/admin/Salary/', path)
      assert.include(unseen, isPage ? '/admin/Notice/' : 'count-Notice', path)
      assert.include(seen, '/admin/Salary/', path)
    }
    assert.notInclude(await textOf(clerk, ''), 'id="count-Salary"')
    assert.equal(await its(page(clerk, '/Salary/'), 'status'), 403)
  })

  test('[P14, B14] a model that the viewer can only view offers no actions', async ({ assert }) => {
    const { id } = await Notice.create({ name: 'Closed on Sunday' })
    const offers = ['/admin/Notice/create_page', `/admin/Notice/update/${id}`, '/bulk-edit']
    const [free, bound] = [await textOf(boss, '/Notice/'), await textOf(clerk, '/Notice/')]
    assert.include(bound, 'Closed on Sunday')
    for (const offer of offers) {
      assert.include(free, offer)
      assert.notInclude(bound, offer)
    }
    assert.match(free, /form_bulk_delete/)
    assert.notMatch(bound, /form_bulk_delete/)
    /* Records are ticked to be compared or exported, and for nothing else. */
    const tasks = [...bound.matchAll(/name="action" value="([^"]*)"/g)]
    assert.deepEqual(
      tasks.map(([, task]) => task),
      ['compare', 'export']
    )
    await Notice.query().delete()
    assert.include(await textOf(boss, '/Notice/'), '/admin/Notice/create_page')
    assert.notInclude(await textOf(clerk, '/Notice/'), '/admin/Notice/create_page')
  })

  test('[P14] pages for actions that the policy refuses are a 403', async ({ assert }) => {
    const { id } = await Notice.create({ name: 'Closed on Sunday' })
    const { id: salary } = await Salary.create({ name: 'Ada' })
    for (const path of [
      '/Notice/create_page',
      `/Notice/update/${id}`,
      '/Salary/',
      '/Salary/create_page',
      `/Salary/update/${salary}`,
    ]) {
      assert.equal(await its(page(boss, path), 'status'), 200, path)
      const refused = await page(clerk, path)
      assert.equal(refused.status, 403, path)
      assert.include(refused.text, 'Your account does not have the permission.')
    }
    const ask = (cookie: string, action: string) =>
      sendForm('/admin/Notice/form_bulk_delete', { ids: String(id), action }, { cookie })
    for (const action of ['delete', 'purge']) {
      assert.equal(await its(ask(boss, action), 'status'), 200, action)
      assert.equal(await its(ask(clerk, action), 'status'), 403, action)
    }
    assert.lengthOf(await Notice.all(), 1)
  })

  test('[P14] a policy that checks the record decides which buttons each record has', async ({
    assert,
  }) => {
    const [own, other] = await Shift.createMany([{ name: 'kim' }, { name: 'jo' }])
    await Shift.create({ name: 'kim', swappedForId: other.id })
    await Shift.create({ name: 'kim', swappedForId: own.id })
    const list = await textOf(clerk, '/Shift/')
    assert.include(list, `/admin/Shift/update/${own.id}"`)
    assert.notInclude(list, `/admin/Shift/update/${other.id}"`)
    /* Links from its own row and from the one that refers to it. */
    assert.lengthOf([...list.matchAll(new RegExp(`update/${own.id}"`, 'g'))], 2)

    const form = await page(clerk, `/Shift/update/${own.id}`)
    assert.include(form.text, '/admin/Shift/form_bulk_delete')
    assert.equal(await its(page(clerk, `/Shift/update/${other.id}`), 'status'), 403)
  })

  test('[P14] a reference to a record that the viewer cannot update has no link', async ({
    assert,
  }) => {
    const { id } = await Notice.create({ name: 'Night duty' })
    await Shift.create({ name: 'kim', noticeId: id })
    assert.include(await textOf(boss, '/Shift/'), `/admin/Notice/update/${id}`)
    const list = await textOf(clerk, '/Shift/')
    assert.include(list, 'Night duty')
    assert.notInclude(list, `/admin/Notice/update/${id}`)
  })

  test('[B23] users see their own activity on the dashboard', async ({ assert }) => {
    await emptyEventTables()
    const write = (method: string, path: string, json: object) =>
      call(method, `/admin/Shift/crud${path}`, { json, headers: { cookie: clerk } })
    const created = await write('POST', '', { name: 'kim' })
    assert.equal(created.status, 201)
    const { id } = await Notice.create({ name: 'Night duty' })
    const changed = await write('PATCH', `/${created.body.id}`, { notice_id: id })
    assert.equal(changed.status, 200)
    const recent = await textOf(clerk, '')
    assert.notInclude(recent, 'No activity yet')
    assert.match(recent, /kim.*? created Shift/s)
    assert.match(recent, /kim.*? changed Shift/s)
    const others = await textOf(boss, '')
    assert.include(others, 'No activity yet')
    assert.notMatch(others, /dashboard-recent[^]*kim/)
  })
})
