import { test } from '@japa/runner'
import type { Flash } from '#admin/http/flash'
import { madeContext } from '#admin/identity/admin_actor'
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
import { get, type HttpResponse } from '#tests/helpers/http'
import { Dossier } from '#tests/fixtures/conflicts'

const FLASH = 'admin_flash'

test.group('Admin | messages for the next page', (group) => {
  let cookie: string
  let id: number

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Dossier.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    const { id: made } = await Dossier.create({ title: 'Old' })
    id = made
  })

  /** Runs an action and returns the cookies of the browser. */
  async function act(): Promise<string> {
    const response = await sendForm(
      `/admin/Dossier/form_update/${id}`,
      { title: 'New' },
      { cookie }
    )
    return `${cookie}; ${cookiesFrom(response)}`
  }

  const visit = (path: string, cookies: string, headers = {}) =>
    get(path, { headers: { cookie: cookies, ...headers } })
  const says = ({ text }: HttpResponse) =>
    /Dossier\s+<a [^>]*><bdi>New<\/bdi><\/a>\s+updated/.test(text)

  /** Cookies of the browser after a response. */
  function after(cookies: string, response: HttpResponse): string {
    const stored = new Map(
      cookies.split('; ').map((pair) => pair.split(/=(.*)/s) as [string, string])
    )
    for (const [name, { value, attributes }] of Object.entries(receivedCookies(response))) {
      if (attributes.includes('max-age=0')) stored.delete(name)
      else stored.set(name, value)
    }
    return [...stored].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  test('[B18] the next page shows the message, and the page after it does not', async ({
    assert,
  }) => {
    const cookies = await act()
    const next = await visit('/admin/Dossier/', cookies)
    assert.isTrue(says(next))
    assert.match(next.text, /<p class="flash-message" data-kind="success">\s*Dossier/)
    const later = await visit('/admin/Dossier/', after(cookies, next))
    assert.isFalse(says(later))
  })

  test('[B18] whichever page is opened next shows the message', async ({ assert }) => {
    for (const path of ['/admin', `/admin/Dossier/update/${id}`, '/admin/Dossier/create_page']) {
      await Dossier.query().update({ title: 'Old' })
      assert.isTrue(says(await visit(path, await act())), path)
    }
  })

  test('[K4.5, B18] the cookie is removed after the message was shown', async ({ assert }) => {
    const cookies = await act()
    assert.include(cookies, `${FLASH}=`)
    const next = await visit('/admin/Dossier/', cookies)
    assert.notInclude(after(cookies, next), FLASH)
  })

  test('[B18] a request for a part of a page does not clear the message', async ({ assert }) => {
    let cookies = await act()
    const htmx = { 'hx-request': 'true' }
    for (const path of ['/admin/dashboard-content', '/admin/Dossier/get_model_list']) {
      const part = await visit(path, cookies, htmx)
      assert.equal(part.status, 200, path)
      assert.isFalse(says(part), path)
      cookies = after(cookies, part)
    }
    assert.isTrue(says(await visit('/admin/Dossier/', cookies)))
  })

  test('[B18] without a message no cookie is set', async ({ assert }) => {
    for (const path of ['/admin', '/admin/Dossier/', `/admin/Dossier/update/${id}`]) {
      const response = await visit(path, cookie)
      assert.equal(response.status, 200)
      assert.notProperty(receivedCookies(response), FLASH, path)
    }
  })

  test('[B18] a failed form leaves no message for the next page', async ({ assert }) => {
    const response = await sendForm(`/admin/Dossier/form_update/${id}`, {}, { cookie })
    assert.equal(response.status, 400)
    assert.notProperty(receivedCookies(response), FLASH)
  })

  test('[B18] a forged cookie shows no message', async ({ assert }) => {
    for (const value of ['x', '', 'e30.x', '%7B%7D', '%']) {
      const response = await visit('/admin', `${cookie}; ${FLASH}=${value}`)
      assert.equal(response.status, 200, value)
      assert.notMatch(response.text, /<p class="flash-message"/, value)
    }
  })

  test('[B18, R7] Undo is a form in the message, escaped like all texts', async ({ assert }) => {
    const flash: Flash = {
      kind: 'success',
      text: 'Film <b> updated',
      undo: { url: '/admin/undo?"x', label: 'Undo' },
    }
    const site = { t: (key: string) => key, flash, viewing: null, pathWithQuery: '/admin/"' }
    const { templates } = await adminSite()
    const ctx = await madeContext()
    const page = await templates.render(ctx, 'admin/partials/flash', { site })
    const [, toasts] = /<div class="toasts">(.*)<template>/s.exec(page)!
    assert.include(
      toasts,
      '<p class="flash-message" data-kind="success">Film &lt;b&gt; updated</p>'
    )
    assert.include(toasts, '<form class="flash-undo" method="post" action="/admin/undo?&quot;x">')
    assert.include(toasts, '<input type="hidden" name="next" value="/admin/&quot;">')
    assert.match(toasts, /<button [^>]*>Undo<\/button>/)
    const failed = await templates.render(ctx, 'admin/partials/flash', {
      site: { ...site, flash: { kind: 'error', text: 'Nothing was done' } },
    })
    const [error, none] = failed.split('<div class="toasts">')
    assert.match(error, /role="alert">\s*<p class="flash-message" data-kind="error">Nothing/)
    assert.notInclude(none, 'flash-message')
  })

  test('[B18] no other user sees the message', async ({ assert }) => {
    await act()
    const eve = await cookiesOf(await makeUser('eve'))
    assert.isFalse(says(await visit('/admin/Dossier/', eve)))
  })
})
