import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { makeInvitation } from '#admin/authentication/invitations/invitation_controller'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { giveFactor, inMinutes } from '#tests/helpers/factors'
import { get, type HttpResponse } from '#tests/helpers/http'

test.group('Admin | fields of passwords', (group) => {
  let root: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    root = await makeUser('root')
  })

  const inputsOf = (text: string) =>
    [...text.matchAll(/<input\b[^>]*>/g)]
      .map(([input]) => input)
      .filter((input) => /name="[^"]*password[^"]*"/.test(input))

  test('[U13, S21] password fields are masked, and allow password managers and pasting', async ({
    assert,
  }) => {
    const { url } = await makeInvitation(await adminSite(), await makeUser('jo'))
    const headers = { cookie: await cookiesOf(root) }
    const pages: Array<[string, string, number]> = [
      ['login', await textOf(page('/admin/login')), 1],
      ['account', await textOf(page('/admin/account', headers)), 3],
      ['link', await textOf(page(new URL(url).pathname)), 2],
      ['new user', await textOf(page('/admin/AdminUser/create_page', headers)), 1],
      ['user', await textOf(page(`/admin/AdminUser/update/${root.id}`, headers)), 1],
      ['proof', await inMinutes(11, () => textOf(page('/admin/reauthenticate', headers))), 1],
    ]
    for (const [name, text, count] of pages) {
      const inputs = inputsOf(text)
      assert.lengthOf(inputs, count, name)
      for (const input of inputs) {
        assert.include(input, 'type="password"', name)
        assert.match(input, /autocomplete="(current|new)-password"/, name)
        assert.notMatch(input, /maxlength|readonly|pattern=|inputmode/, name)
      }
    }
  })

  test('[U8] fields for one-time codes allow password managers', async ({ assert }) => {
    await giveFactor(root)
    const headers = { cookie: await cookiesOf(root) }
    const path = '/admin/reauthenticate?use=code'
    const { text } = await inMinutes(11, () => page(path, headers))
    assert.match(text, /<input[^>]*name="code"[^>]*autocomplete="one-time-code"/)
  })

  async function textOf(response: Promise<HttpResponse>): Promise<string> {
    const { text } = await response
    return text
  }

  function page(path: string, headers: Record<string, string> = {}) {
    return get(path, { headers })
  }
})
