import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { AdminAccessToken, type AdminUser } from '#admin'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { DOORS } from '#tests/fixtures/crud'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { call, get, post, type HttpResponse } from '#tests/helpers/http'
import { emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { issueToken } from '#tests/helpers/tokens'

const PATH = `/api${DOORS.token}`
const TOKENS = '/admin/AdminAccessToken'

const FORM = { token_name: 'ci', token_abilities: 'Reel:read, *:create', token_expires: '30 days' }

test.group('Admin | access tokens', (group) => {
  let root: AdminUser
  let jo: AdminUser
  let cookie: string

  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    root = await makeUser('root')
    jo = await makeUser('jo', { isSuperuser: false })
    cookie = await cookiesOf(root)
  })

  const open = (path: string) => get(path, { headers: { cookie } })
  const pageOf = (user: AdminUser) => open(`/admin/AdminUser/update/${user.id}`)
  const issue = (
    fields: Record<string, string> = FORM,
    headers: Record<string, string> = {}
  ): Promise<HttpResponse> =>
    sendForm(`/admin/AdminUser/issue_token/${jo.id}`, fields, { cookie, ...headers })
  const tokenIn = ({ text }: HttpResponse) => />(atr_[\w.-]+)<\/textarea>/.exec(text)?.[1]

  test('[P10.12] a token that is issued as read-only in the form can read but not write', async ({
    assert,
  }) => {
    const fields = { ...FORM, token_abilities: '*', token_read_only: 'true' }
    const headers = { authorization: `Bearer ${tokenIn(await issue(fields))}` }
    const read = await get(PATH, { headers })
    assert.equal(read.status, 200)
    const created = await post(PATH, { name: 'new' }, { headers })
    assert.equal(created.status, 403)
    const account = await pageOf(jo)
    assert.include(account.text, '(read-only)')

    const { status, text } = await issue({ ...fields, token_name: '' })
    assert.equal(status, 422)
    assert.match(text, /<input[^>]*name="token_read_only"[^>]*checked/)
  })

  test('[P10] the page of a user lists only the tokens of that user', async ({ assert }) => {
    const none = await pageOf(jo)
    assert.include(none.text, 'No access token yet.')
    const past = DateTime.fromISO('2026-01-02T03:04:05Z', { zone: 'utc' })
    const { id, token } = await issueToken(jo, ['Reel:*', '*:read'], {
      name: '<b>old',
      expiresAt: past,
    })
    await issueToken(await makeUser('al'), ['*'], { name: 'not-his' })
    await db
      .from('admin_access_tokens')
      .where('id', id)
      .update({ last_used_at: '2026-01-01 10:00:00' })

    const { status, text } = await pageOf(jo)
    assert.equal(status, 200)
    assert.include(text, '&lt;b&gt;old')
    assert.include(text, 'Reel:*, *:read')
    assert.include(text, '1 Jan 2026, 10:00:00')
    assert.match(text, /2 Jan 2026, 03:04:05<\/time> \(expired\)/)
    const { hash } = await AdminAccessToken.findOrFail(id)
    for (const hidden of ['not-his', hash, token, 'No access token yet']) {
      assert.notInclude(text, hidden)
    }
    const other = await open('/admin/AdminUser/create_page')
    assert.notInclude(other.text, 'issue_token')
  })

  test('[P10.13] the empty list of tokens links to the account, and the page of a new token names its abilities', async ({
    assert,
  }) => {
    const empty = await open(`${TOKENS}/`)
    assert.match(empty.text, /<a [^>]*href="\/admin\/account#tokens">Create access token</)
    assert.notInclude(empty.text, 'once they exist')
    const { text } = await issue()
    assert.include(text, 'call the API as jo')
    assert.include(text, 'Reel:read, *:create')
  })

  test('[P10.13] checked abilities and those typed as text are all issued, and an error preserves both inputs', async ({
    assert,
  }) => {
    const fields: Array<[string, string]> = [
      ['token_name', 'ci'],
      ['token_abilities', 'Reel:read Reel:read_multi'],
      ['token_abilities', '*:create'],
      ['token_abilities', 'Reel:db_delete'],
    ]
    const send = (all: Array<[string, string]>) =>
      sendForm(`/admin/AdminUser/issue_token/${jo.id}`, new URLSearchParams(all).toString(), {
        cookie,
      })
    const { status, text } = await send([...fields, ['token_abilities', 'Reel:fly']])
    assert.equal(status, 422)
    const ticked = [...text.matchAll(/name="token_abilities" value="([^"]+)"[^>]*checked/g)]
    assert.deepEqual(
      ticked.map(([, value]) => value),
      ['*:create', 'Reel:read Reel:read_multi']
    )
    assert.include(text, 'value="Reel:db_delete, Reel:fly"')
    assert.isEmpty(await AdminAccessToken.all())

    const issued = await send(fields)
    assert.equal(issued.status, 200)
    const { abilities } = await AdminAccessToken.firstOrFail()
    assert.deepEqual(abilities, ['Reel:read', 'Reel:read_multi', '*:create', 'Reel:db_delete'])
  })

  test('[P10] a superuser issues a token, which is shown once', async ({ assert, cleanup }) => {
    const log = captureLog(cleanup)
    const response = await issue()
    assert.equal(response.status, 200)
    const token = tokenIn(response)!
    assert.equal(response.text.split(token).length, 2)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.isNull(response.headers.get('location'))
    assert.isEmpty(response.headers.getSetCookie().filter((one) => /session=|flash/.test(one)))

    const stored = await AdminAccessToken.firstOrFail()
    assert.containSubset(stored.$attributes, {
      userId: jo.id,
      name: 'ci',
      abilities: ['Reel:read', '*:create'],
    })
    assert.closeTo(stored.expiresAt!.diffNow('days').days, 30, 0.01)
    const used = await post(PATH, { name: 'by token' }, { headers: bearer(token) })
    assert.equal(used.status, 201)

    const after = await pageOf(jo)
    assert.include(after.text, '>ci<')
    const events = [await db.from('admin_event_log'), await db.from('admin_audit_log')]
    const { text: eventsPage } = await open('/admin/management/events')
    const told = JSON.stringify([after.text, events, eventsPage, log()])
    for (const secret of [token, token.split('.')[1], stored.hash]) assert.notInclude(told, secret)
  })

  test('[P10, E3] issuing and deleting a token are logged as events that name the acting user', async ({
    assert,
  }) => {
    await emptyEventTables()
    await issue()
    const { id } = await AdminAccessToken.firstOrFail()
    await call('DELETE', `${TOKENS}/bulk-delete`, { json: { ids: [id] }, headers: { cookie } })
    const events = await db.from('admin_event_log').whereNot('event_type', 'VIEW').orderBy('id')
    assert.containSubset(events, [
      { event_type: 'CREATE', username: 'root', resource_type: 'AdminAccessToken' },
      { event_type: 'DELETE', username: 'root', resource_id: String(id) },
    ])
    assert.lengthOf(events, 2)
    const [audit] = await db.from('admin_audit_log').orderBy('id')
    const state = JSON.parse(audit.new_state)
    assert.containSubset(state, { name: 'ci', user_id: jo.id })
    assert.notProperty(state, 'hash')
  })

  test('[P10] an invalid value is reported next to its field, and no token is issued: {title}')
    .with([
      { title: 'no name', fields: { token_name: ' ' }, message: 'A token needs a name' },
      {
        title: 'unknown model',
        fields: { token_abilities: 'Flim:read' },
        message: 'names a model without endpoints; models are',
      },
      {
        title: 'unknown operation',
        fields: { token_abilities: 'Reel:list' },
        message: 'names no operation; operations are create,',
      },
      { title: 'no ability', fields: { token_abilities: '' }, message: 'A token needs an ability' },
      { title: 'no time', fields: { token_expires: 'soon' }, message: 'say 30 days' },
    ])
    .run(async ({ assert }, { fields, message }) => {
      const { status, text } = await issue({ ...FORM, ...fields } as typeof FORM)
      assert.equal(status, 422)
      assert.include(text, message)
      assert.include(text, 'aria-invalid="true"')
      assert.include(text, 'Please correct the errors below.')
      for (const [name, value] of Object.entries({ ...FORM, ...fields })) {
        if (value.trim() !== '' && name !== 'token_expires') {
          assert.include(text, `value="${value}"`)
        }
      }
      assert.isEmpty(await AdminAccessToken.all())
    })

  test('[P10] a token has an expiry time unless “never” is selected', async ({ assert }) => {
    const silent = { token_name: FORM.token_name, token_abilities: FORM.token_abilities }
    for (const fields of [silent, { ...FORM, token_expires: '' }]) {
      const { status } = await issue(fields)
      assert.equal(status, 200)
      const { expiresAt } = await AdminAccessToken.query().orderBy('id', 'desc').firstOrFail()
      assert.closeTo(expiresAt!.diffNow('days').days, 90, 0.01)
    }
    const said = await issue({ ...FORM, token_expires: 'never' })
    assert.equal(said.status, 200)
    const { expiresAt } = await AdminAccessToken.query().orderBy('id', 'desc').firstOrFail()
    assert.isNull(expiresAt)
  })

  test('[P10, B13] a user who is not a superuser cannot see or issue tokens', async ({
    assert,
  }) => {
    const { id } = await issueToken(jo)
    const own = await cookiesOf(jo)
    for (const response of [
      await issue(FORM, { cookie: own }),
      await get(`/admin/AdminUser/update/${jo.id}`, { headers: { cookie: own } }),
      await get(`${TOKENS}/`, { headers: { cookie: own } }),
      await call('DELETE', `${TOKENS}/crud/${id}`, { headers: { cookie: own } }),
      await sendForm(
        `${TOKENS}/form_bulk_delete`,
        { ids: String(id), action: 'delete', confirmed: '1' },
        { cookie: own }
      ),
    ]) {
      assert.equal(response.status, 403)
    }
    assert.lengthOf(await AdminAccessToken.all(), 1)
  })

  test("[P10, B9] a cross-site form can't issue a token", async ({ assert }) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://elsewhere.test' },
    ] as Array<Record<string, string>>) {
      const { status } = await issue(FORM, headers)
      assert.equal(status, 403)
    }
    const unsigned = await issue(FORM, { cookie: '' })
    assert.equal(unsigned.status, 303)
    const json = await call('POST', `/admin/AdminUser/issue_token/${jo.id}`, {
      json: FORM,
      headers: { cookie },
    })
    assert.equal(json.status, 415)
    assert.isEmpty(await AdminAccessToken.all())
  })

  test('[P10] issuing a token for a missing user is refused', async ({ assert }) => {
    for (const id of ['0', '99999', 'abc']) {
      const { status } = await sendForm(`/admin/AdminUser/issue_token/${id}`, FORM, { cookie })
      assert.isTrue([404, 422].includes(status), `${id}: ${status}`)
    }
    const got = await open(`/admin/AdminUser/issue_token/${jo.id}`)
    assert.equal(got.status, 404)
  })

  test('[P10, B24] a token can be deleted on the page after a confirmation, and is refused immediately', async ({
    assert,
  }) => {
    const { id, headers } = await issueToken(jo, ['*'], { name: 'lost' })
    const page = `/admin/AdminUser/update/${jo.id}`
    const { text } = await pageOf(jo)
    assert.match(text, new RegExp(`name="ids" value="${id}"`))
    const fields = { ids: String(id), action: 'delete', next: page }
    const requested = await sendForm(`${TOKENS}/form_bulk_delete`, fields, { cookie })
    assert.equal(requested.status, 200)
    assert.include(requested.text, 'lost')
    const before = await get(PATH, { headers })
    assert.equal(before.status, 200)

    const done = await sendForm(
      `${TOKENS}/form_bulk_delete`,
      { ...fields, confirmed: '1' },
      { cookie }
    )
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), page)
    const after = await get(PATH, { headers })
    assert.equal(after.status, 401)
  })

  test('[P10] the list of all tokens shows owners and abilities', async ({ assert }) => {
    await issueToken(jo, ['Reel:*', '*:read'], { name: 'one' })
    const { id } = await issueToken(root, ['*'], { name: 'two' })
    const { status, text } = await open(`${TOKENS}/`)
    assert.equal(status, 200)
    for (const shown of ['>jo<', '>root<', 'Reel:*, *:read', 'Access tokens']) {
      assert.include(text.replace(/\s*\n\s*/g, ''), shown)
    }
    const { hash } = await AdminAccessToken.findOrFail(id)
    const crud = await open(`${TOKENS}/crud/${id}`)
    assert.notInclude(text + crud.text, hash)
    assert.equal(crud.body.name, 'two')
  })

  test('[P10, S45] the form of the user can still be saved on the page with the access tokens', async ({
    assert,
  }) => {
    await issueToken(jo)
    const response = await sendForm(
      `/admin/AdminUser/form_update/${jo.id}`,
      { username: 'joanna' },
      { cookie }
    )
    assert.equal(response.status, 303)
    assert.lengthOf(await AdminAccessToken.all(), 1)
  })

  test('[E5] the page of an event shows owner and name of the token that was used', async ({
    assert,
  }) => {
    const { headers } = await issueToken(jo, ['Utensil:*'], { name: 'night <run>' })
    await logEvent({
      event_type: 'UPDATE',
      username: 'jo',
      resource_type: 'Utensil',
      details: { token_name: 'night <run>' },
    })
    const { text } = await open('/admin/management/events')
    assert.include(text, 'by the API token night &lt;run&gt;')
    assert.notInclude(text, 'token_name')
    assert.isString(headers.authorization)
  })

  test('[E1, E3, P14] a write by a token is logged with its owner and the token', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const { headers } = await issueToken(jo, ['Guarded:*'], { name: 'importer' })
    await emptyEventTables()
    const created = await post('/api/token-guarded', { name: 'by program' }, { headers })
    assert.equal(created.status, 201)
    await accessTokens.settle()
    const [event] = await db.from('admin_event_log')
    assert.containSubset(event, {
      event_type: 'CREATE',
      user_id: jo.id,
      username: 'jo',
      session_id: null,
      resource_type: 'Guarded',
    })
    assert.deepEqual(JSON.parse(event.details), { token_name: 'importer' })
    const { text } = await open('/admin/management/events')
    assert.include(text, 'by the API token importer')
  })
})

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}
