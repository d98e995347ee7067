import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { cookiesOf, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const TIMES = { created_at: '2026-01-01 00:00:00' }

test.group('Admin list | filters on related fields', (group) => {
  let cookie: string

  async function titles(query: string): Promise<string[]> {
    const { status, text } = await get(`/admin/Reel/?${query}`, { headers: { cookie } })
    if (status !== 200) throw new Error(text)
    return ['Alpha', 'Beta', 'Gamma'].filter((title) => text.includes(`>${title}<`))
  }

  async function signIn(name: string, role: Parameters<typeof makeRole>[1]): Promise<void> {
    const viewer: AdminUser = await makeUser(name, { isSuperuser: false })
    await makeRole(`Role of ${name}`, role)
    await giveRoles(viewer, [`Role of ${name}`])
    cookie = await cookiesOf(viewer)
  }

  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['reels', 'lenders']) await db.from(table).delete()
    const sony = await insertRow('lenders', { name: 'Sony', ...TIMES })
    const fox = await insertRow('lenders', { name: 'Fox', ...TIMES })
    await insertRow('reels', { title: 'Alpha', lender_id: sony, ...TIMES })
    await insertRow('reels', { title: 'Beta', lender_id: fox, ...TIMES })
    await insertRow('reels', { title: 'Gamma', lender_id: null, ...TIMES })
    cookie = await cookiesOf(await makeUser('su'))
    return async () => {
      await restoreRoles()
      for (const table of ['reels', 'lenders']) await db.from(table).delete()
    }
  })

  test('[W8, L1] the list can be filtered by fields of every declared relation', async ({
    assert,
  }) => {
    assert.deepEqual(await titles('filter.lender.name=Sony'), ['Alpha'])
    assert.deepEqual(await titles('filter.lender.name__contains=o'), ['Alpha', 'Beta'])
    assert.deepEqual(await titles('filter.not.lender.name=Sony'), ['Beta'])
    const either = 'filter.any.1.lender.name=Fox&filter.any.1.title=Gamma'
    assert.deepEqual(await titles(either), ['Beta', 'Gamma'])
    assert.deepEqual(await titles('filter.lender.nothing=Sony'), ['Alpha', 'Beta', 'Gamma'])
    const { text } = await get('/admin/Lender/?filter.reels.title=Alpha', { headers: { cookie } })
    assert.include(text, '>Sony<')
    assert.notInclude(text, '>Fox<')
  })

  test('[W8, L2] the filter bar describes a related filter in words, and the filter form offers related fields', async ({
    assert,
  }) => {
    const list = await get('/admin/Reel/?filter.lender.name__contains=on', { headers: { cookie } })
    assert.match(list.text, /Lender name/)
    const form = await get('/admin/Reel/filter', { headers: { cookie } })
    assert.include(form.text, 'Lender name')
    assert.include(form.text, 'add.column=lender.name')
    const value = await get('/admin/Reel/filter?add.column=lender.name', { headers: { cookie } })
    assert.equal(value.status, 200)
    assert.include(value.text, 'name="add.value"')
    const sent = new URLSearchParams({
      'add.column': 'lender.name',
      'add.operator': 'startswith',
      'add.value': 'So',
      'add.for': 'text lender.name',
      'add.apply': '1',
    })
    const added = await get(`/admin/Reel/filter?${sent}`, { headers: { cookie } })
    assert.include(added.headers.get('location'), 'filter.lender.name__startswith=So')
  })

  test('[W8, U4] fields that roles hide can’t be filtered by, and records out of scope do not match', async ({
    assert,
  }) => {
    await signIn('ann', { Reel: { actions: ['view'] } })
    const all = ['Alpha', 'Beta', 'Gamma']
    assert.deepEqual(await titles('filter.lender.name=Sony'), all)
    const form = await get('/admin/Reel/filter', { headers: { cookie } })
    assert.notInclude(form.text, 'Lender name')
    await signIn('bob', {
      Reel: { actions: ['view'] },
      Lender: { actions: ['view'], hidden: ['name'] },
    })
    assert.deepEqual(await titles('filter.lender.name=Sony'), all)
    assert.lengthOf(await titles('filter.lender.id__gte=0'), 2)
  })

  test('[W8, U4] a relation does not filter if roles hide the column of the related records that links them', async ({
    assert,
  }) => {
    await signIn('cyd', {
      Reel: { actions: ['view'], hidden: ['lender_id'] },
      Lender: { actions: ['view'] },
    })
    const list = await get('/admin/Lender/?filter.reels.title=Alpha', { headers: { cookie } })
    assert.include(list.text, '>Sony<')
    assert.include(list.text, '>Fox<')
    const form = await get('/admin/Lender/filter', { headers: { cookie } })
    assert.notInclude(form.text, 'Reels title')
  })
})
