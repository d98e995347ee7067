/*
 * Stored markup is shown as text everywhere in the site, including input of anonymous users at the login.
 * The tests visit all pages that links lead to.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  cookiesFrom,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  sendForm,
  adminSite,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get, patch, post } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

/* Ends attributes, elements and template expressions, in at most 20 characters. */
const MARKUP = `'"><xss {{7**9}}//`

/** Pages that show the stored markup. */
const PLACES = [
  ...['/admin', '/admin/dashboard-content', '/admin/Patron/', '/admin/Club/', '/admin/AdminUser/'],
  ...['/admin/AdminSession/', '/admin/AdminAccessToken/', '/admin/management/events'],
  ...['/admin/management/health', '/admin/Patron/create_page', '/admin/Patron/table-content'],
]

const MOST_PAGES = 150

test.group('Attacks | stored markup', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    for (const table of ['attacked_patrons', 'attacked_clubs']) await db.from(table).delete()
    const jo = await makeUser('jo')
    await login(MARKUP, 'wrong', { headers: { 'user-agent': MARKUP } })
    const response = await login('jo', undefined, {
      headers: { 'user-agent': MARKUP, 'x-forwarded-for': MARKUP, 'referer': MARKUP },
    })
    cookie = cookiesFrom(response)
    await issueToken(jo, ['*'], { name: MARKUP })

    const own = { headers: { cookie } }
    const club = await post('/admin/Club/crud', { name: MARKUP, secret: MARKUP }, own)
    const patron = await post('/api/attacked-patrons', { name: MARKUP, note: MARKUP })
    await db.from('attacked_patrons').update({ club_id: club.body.id })
    const path = `/admin/Patron/crud/${patron.body.id}`
    await patch(path, { note: `${MARKUP}!` }, own)
    const gone = await post('/admin/Patron/crud', { name: MARKUP }, own)
    await call('DELETE', `/admin/Patron/crud/${gone.body.id}`, own)
    const { events } = await adminSite()
    await events.settle()
    return async () => await emptyEventTables()
  })

  function assertText(assert: any, text: string, path: string) {
    assert.notInclude(text, '<xss', path)
    assert.notInclude(text, '40353607', path)
    assert.notMatch(text, /(?:href|src|action|formaction)="\s*(?:javascript|data|vbscript):/i, path)
    /* In an attribute, its delimiter must be escaped. */
    assert.notMatch(text, /="[^"<>]*'"/, path)
  }

  /** Targets of the links of a page, except the logout. */
  function linksOf(text: string): string[] {
    return [...text.matchAll(/(?:href|hx-get)="(\/admin[^"#]*)"/g)]
      .map(([, path]) => path.replaceAll('&amp;', '&').replaceAll('&#x2F;', '/'))
      .filter((path) => !/\/(?:logout|assets|files)/.test(path))
  }

  test('[S24, S34, B23] stored markup is escaped on every linked page', async ({ assert }) => {
    const waiting = [...PLACES]
    const seen = new Set<string>()
    let told = 0
    while (waiting.length > 0 && seen.size < MOST_PAGES) {
      const path = waiting.shift()!
      if (seen.has(path)) continue
      seen.add(path)
      const { status, text } = await get(path, { headers: { cookie } })
      assert.isBelow(status, 500, path)
      assertText(assert, text, path)
      if (/&lt;xss|%3Cxss/.test(text)) told++
      /* Pages of other models are not visited. */
      waiting.push(...linksOf(text).filter((one) => /Patron|Club|Admin|management/.test(one)))
    }
    for (const part of ['Patron/update/', 'management/events/', 'Patron/history/']) {
      assert.isTrue(
        [...seen].some((path) => path.includes(part)),
        part
      )
    }
    assert.isAbove(told, 15)
  }).timeout(60_000)

  test('[S29, S38, S47] submitted markup is returned escaped', async ({ assert }) => {
    const own = { cookie }
    const encoded = encodeURIComponent(MARKUP)
    const { id } = await db.from('attacked_patrons').firstOrFail()
    const responses = [
      await get(`/admin/Patron/?column-to-search=name&search-input=${encoded}`, { headers: own }),
      await get(`/admin/Patron/?sort_by=${encoded}&page=${encoded}`, { headers: own }),
      await get(`/admin/Patron/choices/${encoded}?q=${encoded}`, { headers: own }),
      await get(`/admin/management/events?username=${encoded}&event_type=${encoded}`, {
        headers: own,
      }),
      await get(`/admin/${encoded}/`, { headers: own }),
      await get(`/admin/Patron/update/${encoded}`, { headers: own }),
      await get(`/admin/login?error=${encoded}&next=${encoded}`),
      await login(MARKUP, MARKUP, { next: `/admin/${encoded}` }),
      await sendForm(
        '/admin/Patron/form_create',
        { name: `${MARKUP}${'x'.repeat(30)}`, note: MARKUP },
        own
      ),
      await sendForm(
        `/admin/Patron/form_update/${id}`,
        { name: `${MARKUP}${'x'.repeat(30)}`, note: MARKUP, _version: MARKUP },
        own
      ),
      await sendForm(`/admin/Patron/form_update/${id}`, { note: MARKUP, _version: MARKUP }, own),
      await sendForm(
        '/admin/Patron/form_bulk_delete',
        { ids: String(id), action: 'delete', next: `/admin/Patron/?x=${MARKUP}` },
        own
      ),
      await sendForm('/admin/Patron/form_bulk_delete', { ids: MARKUP, action: MARKUP }, own),
      await sendForm('/admin/AdminUser/form_create', { username: MARKUP, password: MARKUP }, own),
    ]
    for (const [index, { status, text, headers }] of responses.entries()) {
      assert.isBelow(status, 500)
      const isJson = /json/.test(headers.get('content-type') ?? '')
      if (!isJson) assertText(assert, text, String(index))
    }
  })
})
