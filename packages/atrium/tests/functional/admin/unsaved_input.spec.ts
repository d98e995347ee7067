import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import {
  adminSite,
  ageSessions,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { GUILD_TABLES } from '#tests/fixtures/guilds'
import { Recording, Studio } from '#tests/fixtures/references'
import { formOf } from '#tests/helpers/forms'
import { call, get, type HttpResponse } from '#tests/helpers/http'

const CREATE = '/admin/Recording/form_create'

test.group('Admin | unsaved input of forms', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio]) await model.query().delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const textOf = async (path: string, cookies = cookie): Promise<string> => {
    const { text } = await get(path, { headers: { accept: 'text/html', cookie: cookies } })
    return text
  }

  /** The seal that a form of the person has. */
  async function sealOf(cookies = cookie, path = '/admin/Recording/create_page'): Promise<string> {
    const { owner } = formOf(await textOf(path, cookies))
    return owner
  }

  const stored = () => db.from('admin_kept_forms')

  /** The page that the login leads to. */
  const nextIn = ({ headers }: HttpResponse): string =>
    new URL(headers.get('location')!, 'http://here').searchParams.get('next')!

  /** Cookies of the login response. */
  const cookiesIn = (headers: Headers) =>
    headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ')

  test('[R10] without JavaScript a form sent after the session ended is shown again after the login, and not saved', async ({
    assert,
  }) => {
    const seal = await sealOf()
    await ageSessions(jo, 'last_activity', { minutes: 45 })
    const path = `${CREATE}?list=q%3Dhelp`
    const lost = await sendForm(path, { title: 'Help!', _by: seal }, { cookie })
    assert.equal(lost.status, 303)
    const place = lost.headers.get('location')!
    assert.notInclude(place, 'Help!')
    const next = new URL(place, 'http://here').searchParams.get('next')!
    assert.match(next, /^\/admin\/Recording\/create_page\?list=q%3Dhelp&_kept=[\w-]{32}$/)
    assert.include(
      await textOf(place),
      'Your input is saved and is offered again after you log in.'
    )

    const { status, headers } = await login('jo', undefined, { next })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), next)
    const page = await textOf(next, cookiesIn(headers))
    assert.equal(formOf(page).values.title, 'Help!')
    assert.include(page, 'Your session had ended, so this was not saved.')
    assert.isEmpty(await Recording.all())

    const { action, values } = formOf(page)
    const saved = await sendForm(action, values, { cookie: cookiesIn(headers) })
    assert.equal(saved.headers.get('location'), '/admin/Recording/?q=help')
    assert.lengthOf(await Recording.query().where('title', 'Help!'), 1)
    assert.isEmpty(await stored())
  })

  test('[R10] an update form that was submitted after the session ended is shown again, with its original version', async ({
    assert,
  }) => {
    const { id } = await Recording.create({ title: 'Help!' })
    const { values, owner } = formOf(await textOf(`/admin/Recording/update/${id}`))
    const sent = { ...values, title: 'Help me', _by: owner }
    const lost = await sendForm(`/admin/Recording/form_update/${id}`, sent)
    const page = await textOf(nextIn(lost))
    const again = formOf(page)
    assert.equal(again.values.title, 'Help me')
    assert.equal(again.values._version, values._version)
    const { title } = await Recording.findOrFail(id)
    assert.equal(title, 'Help!')
  })

  test('[R10] another user who logs in does not see the unsaved input', async ({ assert }) => {
    const lost = await sendForm(CREATE, { title: 'QZXSECRET', _by: await sealOf() })
    const next = nextIn(lost)
    const eve = await cookiesOf(await makeUser('eve'))
    const page = await textOf(next, eve)
    assert.notInclude(page, 'QZXSECRET')
    assert.equal(formOf(page).values.title, '')
    assert.lengthOf(await stored(), 1)
    const [row] = await stored()
    assert.notInclude(JSON.stringify(row), 'QZXSECRET')
    assert.equal(row.user_id, jo.id)
    await jo.delete()
    assert.isEmpty(await stored())
  })

  test('[R10] unsaved input is stored only if the form contains a token that the site signed for it', async ({
    assert,
  }) => {
    const seal = await sealOf()
    const forged = `${seal.slice(0, -4)}AAAA`
    const invalid: Array<Record<string, string>> = [
      {},
      { _by: '' },
      { _by: String(jo.id) },
      { _by: forged },
    ]
    for (const fields of invalid) {
      const { status, headers } = await sendForm(CREATE, { title: 'Help!', ...fields })
      assert.equal(status, 303)
      assert.match(headers.get('location')!, /^\/admin\/login\?error=required$/)
    }
    const json = await call('POST', CREATE, {
      body: JSON.stringify({ title: 'Help!', _by: seal }),
      headers: { 'content-type': 'application/json', 'accept': 'text/html' },
    })
    assert.equal(json.status, 401)
    const elsewhere = { 'sec-fetch-site': 'cross-site', 'origin': 'http://elsewhere.test' }
    const foreign = await sendForm(CREATE, { title: 'Help!', _by: seal }, elsewhere)
    assert.equal(foreign.status, 403)
    /* With JavaScript the browser keeps it. */
    await sendForm(CREATE, { title: 'Help!', _by: seal }, { 'hx-request': 'true' })
    for (const path of ['/admin/Recording/bulk-edit', '/admin/Nobody/form_create', CREATE + '/1']) {
      await sendForm(path, { title: 'Help!', _by: seal })
    }
    assert.isEmpty(await stored())
  })

  test('[R10] passwords, hidden columns, unknown fields and files are not stored', async ({
    assert,
  }) => {
    for (const table of GUILD_TABLES) await db.from(table).delete()
    const seal = await sealOf(cookie, '/admin/Guild/create_page')
    const body = new FormData()
    const rows = {
      'members.0.name': 'Jo',
      'members.0.id': '3',
      'members.0.other': 'QZX5',
      'nobody.0.name': 'QZX6',
      'constructor.0.name': 'QZX7',
    }
    const texts = { name: 'Bakers', motto: 'Bread', password: 'QZX1', other: 'QZX3', ...rows }
    for (const [name, text] of Object.entries({ ...texts, _by: seal })) body.append(name, text)
    body.append('charter', new Blob(['QZX4']), 'charter.txt')
    const request = new Request('http://here', { method: 'POST', body })
    const lost = await call('POST', '/admin/Guild/form_create', {
      body: Buffer.from(await request.arrayBuffer()) as never,
      headers: { 'content-type': request.headers.get('content-type')!, 'accept': 'text/html' },
    })
    const next = nextIn(lost)
    const site = await adminSite()
    const id = new URL(next, 'http://here').searchParams.get('_kept')!
    const form = await site.drafts.find(jo.id, id)
    assert.deepInclude(form?.texts, { name: ['Bakers'], motto: ['Bread'] })
    /* Rows, by the names of their relation and its fields */
    assert.deepInclude(form?.texts, { 'members.0.name': ['Jo'], 'members.0.id': ['3'] })
    assert.notInclude(JSON.stringify(form), 'QZX')
    assert.include(await textOf(next), 'Files and passwords are not stored')
  })

  test('[R10] size and age of the stored input are limited', async ({ assert }) => {
    const seal = await sealOf()
    for (const length of [70_000, 300_000]) {
      const long = await sendForm(CREATE, { title: 'x'.repeat(length), _by: seal })
      assert.equal(long.status, 303)
      assert.notInclude(long.headers.get('location'), '_kept')
    }
    assert.isEmpty(await stored())
    const lost = await sendForm(CREATE, { title: 'QZXOLD', _by: seal })
    const next = nextIn(lost)
    assert.include(await textOf(next), 'QZXOLD')
    await stored().update({ created_at: '2020-01-01 00:00:00' })
    assert.notInclude(await textOf(next), 'QZXOLD')
    await sendForm(CREATE, { title: 'Help!', _by: seal })
    assert.lengthOf(await stored(), 1)
  })

  test('[R10, B7] the endpoint of the session returns the remaining time, and does not extend the session if polled', async ({
    assert,
  }) => {
    const path = '/admin/account/session'
    const ask = async (query = '') => {
      const { body, status } = await get(path + query, {
        headers: { cookie, accept: 'application/json' },
      })
      return { ...body, status }
    }
    await ageSessions(jo, 'last_activity', { minutes: 20 })
    const polled = await ask('?poll')
    assert.approximately(polled.idle, 10 * 60, 5)
    assert.approximately(polled.limit, 12 * 3600, 60)
    const requested = await ask()
    assert.approximately(requested.idle, 30 * 60, 5)
    const after = await ask('?poll')
    assert.approximately(after.idle, 30 * 60, 5)
    await ageSessions(jo, 'created_at', { minutes: 12 * 60 - 1 })
    const last = await ask()
    assert.approximately(last.limit, 60, 5)
    await ageSessions(jo, 'last_activity', { minutes: 31 })
    const { status } = await ask()
    assert.equal(status, 401)
  })
})
