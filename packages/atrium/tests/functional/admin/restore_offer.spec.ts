import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | a unique value of a deleted record', (group) => {
  group.tap((one) => one.tags(['@database']))
  let gone: number

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('voided').delete()
    gone = await insertRow('voided', { code: 'gone', is_deleted: true })
  })

  const cookieOf = async (actions: string[], scopes: string[] = []) => {
    await makeRole('Clerk', { Voided: { actions, ...(scopes.length > 0 && { scopes }) } })
    return await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] }))
  }
  const create = (cookie: string, headers = {}) =>
    sendForm('/admin/Voided/form_create', { code: 'gone' }, { cookie, ...headers })
  const isDeleted = async () => {
    const { is_deleted: mark } = await db.from('voided').where('id', gone).firstOrFail()
    return Boolean(mark)
  }

  test('[A8] the form offers to restore the deleted record, and the offer restores it', async ({
    assert,
  }) => {
    const cookie = await cookieOf(['view', 'create', 'update', 'restore'])
    const { status, text } = await create(cookie)
    assert.equal(status, 422)
    assert.include(text, 'by a deleted item')
    const [, action, inputs] =
      /<form id="restore-form" method="post" action="([^"]+)">(.*?)<\/form>/s.exec(text)!
    assert.match(text, /<button id="restore-it"[^>]* form="restore-form">Restore it/)
    const htmx = await create(cookie, { 'hx-request': 'true' })
    assert.include(htmx.text, 'id="restore-form"')
    const fields = Object.fromEntries(
      [...inputs.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ])
    )
    const crossSite = { cookie, 'sec-fetch-site': 'cross-site' }
    const forged = await sendForm(action, fields, crossSite)
    assert.equal(forged.status, 403)
    assert.isTrue(await isDeleted())
    const restored = await sendForm(action, fields, { cookie })
    assert.equal(restored.status, 303)
    assert.equal(restored.headers.get('location'), `/admin/Voided/update/${gone}`)
    assert.isFalse(await isDeleted())
  })

  test('[A8, U4] the offer to restore is shown only to users who can restore the record', async ({
    assert,
  }) => {
    const { text } = await create(await cookieOf(['view', 'create']))
    assert.include(text, 'by a deleted item')
    assert.notInclude(text, 'restore-it')
  })

  test('[A8, U4] the deleted record is not mentioned to users who cannot see it', async ({
    assert,
  }) => {
    const { status, text } = await create(await cookieOf(['view', 'create', 'restore'], ['here']))
    assert.equal(status, 422)
    assert.notInclude(text, 'deleted item')
    assert.notInclude(text, 'restore-it')
  })

  test('[A18, L1] an empty filter with the operator exact finds empty texts in the admin list', async ({
    assert,
  }) => {
    await insertRow('voided', { code: '', is_deleted: false })
    await insertRow('voided', { code: 'here', is_deleted: false })
    const cookie = await cookiesOf(await makeUser('ada'))
    const list = async (query: string) => {
      const { text } = await get(`/admin/Voided/?${query}`, { headers: { cookie } })
      return text
    }
    assert.match(await list('filter.code='), />\s*here\s*</)
    const empty = await list('filter.code__exact=')
    assert.notMatch(empty, />\s*here\s*</)
    assert.include(empty, 'filter.code__exact=')
  })
})
