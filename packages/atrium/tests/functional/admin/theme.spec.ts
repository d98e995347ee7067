import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const FOREIGN = { 'origin': 'http://evil.test', 'sec-fetch-site': 'cross-site' }

test.group('Admin | theme switch redirects', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('utensils').delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  async function makeUtensil(): Promise<number> {
    const row = { name: 'Lamp', description: 'x', category: 'y', price: 1 }
    const id = await insertRow('utensils', { ...row, created_at: '2026-01-02 03:04:05' })
    return id
  }

  const nextIn = (text: string) =>
    /action="\/admin\/theme">.*?name="next" value="([^"]*)"/s.exec(text)?.[1]

  test('the theme switch redirects to the page that it is on', async ({ assert }) => {
    const { text } = await get('/admin/Utensil/?sort_by=name', { headers: { cookie } })
    assert.equal(nextIn(text), '/admin/Utensil/?sort_by=name')
  })

  test('the theme switch on a submitted form redirects to the page with that form', async ({
    assert,
  }) => {
    const id = await makeUtensil()
    for (const [path, fields, page] of [
      ['form_create', { name: '' }, '/admin/Utensil/create_page'],
      [`form_update/${id}`, { price: 'much' }, `/admin/Utensil/update/${id}`],
      ['form_bulk_delete', { ids: String(id) }, '/admin/Utensil/'],
    ] as Array<[string, Record<string, string>, string]>) {
      const { text } = await sendForm(`/admin/Utensil/${path}`, fields, { cookie })
      assert.equal(nextIn(text), page, path)
      const switched = await sendForm('/admin/theme', { next: page }, { cookie })
      assert.equal(switched.headers.get('location'), page)
      const { status } = await get(page, { headers: { cookie } })
      assert.equal(status, 200, page)
    }
  })

  test('the theme switch on the response to a refused POST redirects to an existing page', async ({
    assert,
  }) => {
    const refused = await sendForm('/admin/theme', { theme: 'dark-theme' }, { cookie, ...FOREIGN })
    assert.equal(nextIn(refused.text), '/admin')
    const keyless = await sendForm('/admin/Utensil/form_update', {}, { cookie, ...FOREIGN })
    assert.equal(nextIn(keyless.text), '/admin/Utensil/')
    const login = await sendForm('/admin/login', { username: 'jo', password: 'wrong' })
    assert.equal(nextIn(login.text), '/admin/login')
  })
})
