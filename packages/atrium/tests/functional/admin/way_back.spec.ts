import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import {
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
  sendForm,
} from '#tests/helpers/admin'
import { Play } from '#tests/fixtures/stages'
import { formOf } from '#tests/helpers/forms'
import { get, urlOf } from '#tests/helpers/http'
import { unescape } from '#tests/helpers/list_page'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const LIST = '/admin/Play/'
/* Canonical, so that the way back is the same text */
const SORTED = `${LIST}?filter.town=east&sort_by=note%2Ctitle&sort_order=desc%2Casc&rows-per-page-select=20&page=2`

test.group('Admin | returning from a form', (group) => {
  let ada: AdminUser
  let cookie: string
  let plays: Play[]

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    plays = await Play.createMany(
      ['Antigone', 'Brand', 'Candide', 'Danton', 'Egmont', 'Faust'].map((title, index) => ({
        title,
        town: index === 2 ? 'west' : 'east',
        note: index === 1 ? null : `note ${index % 2}`,
      }))
    )
    return () => restoreRoles()
  })

  const play = (title: string) => plays.find((one) => one.title === title)!
  const visit = (path: string, headers: Record<string, string> = {}) =>
    get(path, { headers: { cookie, ...headers } })
  const from = (list: string) => ({ referer: urlOf(list) })
  const formAt = (title: string) => `/admin/Play/update/${play(title).id}`

  /** The form of a play as the browser gets it that follows the list's link. */
  async function open(title: string, list: string) {
    const { status, text } = await visit(formAt(title), from(list))
    return { status, text, ...formOf(text), ...waysIn(text) }
  }

  function waysIn(text: string) {
    const link = (pattern: RegExp) => {
      const found = pattern.exec(text)?.[1]
      return found === undefined ? undefined : unescape(found)
    }
    return {
      back: link(/class="back-link" href="([^"]*)"/),
      cancel: link(/data-variant="ghost" href="([^"]*)">Cancel/),
      previous: link(/rel="prev" href="([^"]*)"/),
      next: link(/rel="next" href="([^"]*)"/),
      history: link(/class="btn history-link"[^>]* href="([^"]*)"/),
      afterDelete: link(/value="delete">\s*<input type="hidden" name="next" value="([^"]*)"/),
      afterTheme: link(/name="next" value="([^"]*)"/),
      savesNext: text.includes('name="_next"'),
    }
  }

  const backOf = async (path: string) => {
    const { text } = await visit(path)
    return waysIn(text).back
  }

  const send = (action: string, fields: Record<string, string>, headers = {}) =>
    sendForm(unescape(action), fields, { cookie, ...headers })
  const titleAt = (url: string | null | undefined) => {
    const id = /\/update\/(\d+)/.exec(url ?? '')?.[1]
    return plays.find((one) => String(one.id) === id)?.title
  }
  const markedIn = (text: string) => /<tr class="is-marked".*?<\/tr>/s.exec(text)?.[0]

  test('[L11] saving, cancelling, deleting and Back lead to the list with its filters, order and page', async ({
    assert,
  }) => {
    const form = await open('Brand', SORTED)
    assert.equal(form.back, SORTED)
    assert.equal(form.cancel, SORTED)
    assert.equal(form.afterDelete, SORTED)
    const { text } = await visit(form.afterTheme!, from(formAt('Brand')))
    assert.equal(waysIn(text).back, SORTED)
    const plain = await send(form.action, { title: 'Brand II' })
    assert.equal(plain.status, 303)
    assert.equal(plain.headers.get('location'), SORTED)
    const htmx = await send(form.action, { title: 'Brand III' }, { 'hx-request': 'true' })
    assert.equal(htmx.headers.get('hx-redirect'), SORTED)
    assert.isNull(htmx.headers.get('location'))
  })

  test('[L11] a bulk deletion from the form leads to the list with its filters, order and page', async ({
    assert,
  }) => {
    const { afterDelete } = await open('Brand', SORTED)
    const fields = { ids: `${play('Brand').id}`, action: 'delete', next: afterDelete! }
    const done = await send('/admin/Play/form_bulk_delete', { ...fields, confirmed: '1' })
    assert.equal(done.headers.get('location'), SORTED)
  })

  test('[L11, S39] a create form leads back to the list from which it was opened, where the new record is marked', async ({
    assert,
  }) => {
    const { text } = await visit('/admin/Play/create_page', from(SORTED))
    const { action } = formOf(text)
    const refused = await send(action, { town: 'east' })
    assert.equal(refused.status, 422)
    assert.equal(waysIn(refused.text).cancel, SORTED)
    const done = await send(formOf(refused.text).action, { title: 'Galilei', town: 'east' })
    assert.equal(done.headers.get('location'), SORTED)
    const { id } = await Play.findByOrFail('title', 'Galilei')
    const list = await get(LIST, { headers: { cookie: `${cookie}; ${cookiesFrom(done)}` } })
    assert.match(
      list.text,
      new RegExp(`Play\\s+<a href="/admin/Play/update/${id}"><bdi>Galilei</bdi></a>\\s+created`)
    )
    assert.include(markedIn(list.text), 'Galilei')
  })

  test('[L11, B25] errors, conflicts and the history of a record preserve the link to the list', async ({
    assert,
  }) => {
    const form = await open('Brand', SORTED)
    const refused = await send(form.action, { title: 'x'.repeat(100) })
    assert.equal(refused.status, 400)
    assert.equal(waysIn(refused.text).back, SORTED)
    assert.equal(formOf(refused.text).action, form.action)

    await Play.query().where('id', play('Brand').id).update({ title: 'Theirs' })
    const conflict = await send(form.action, { ...form.values, title: 'Mine', _next: '1' })
    assert.equal(conflict.status, 409)
    assert.equal(formOf(conflict.text).action, form.action)
    assert.equal(formOf(conflict.text).values._next, '1')
    const [theirs] = /\/admin\/Play\/update\/[^"]*/.exec(conflict.text)!
    assert.equal(await backOf(unescape(theirs)), SORTED)

    const history = await visit(form.history!)
    const [again] = /\/admin\/Play\/update\/[^"]*/.exec(history.text)!
    assert.equal(await backOf(unescape(again)), SORTED)
  })

  test('[L11] a form that was not opened from its list leads to the list without parameters', async ({
    assert,
  }) => {
    for (const headers of [
      {},
      from('/admin'),
      from('/admin/Stage/?filter.town=east'),
      from('/admin/Play/create_page?filter.town=east'),
      { referer: `http://elsewhere.test${SORTED}` },
      { ...from(SORTED), 'sec-fetch-site': 'cross-site' },
      { referer: 'no address' },
    ]) {
      const { text } = await visit(formAt('Brand'), headers)
      const ways = waysIn(text)
      assert.equal(ways.back, LIST, JSON.stringify(headers))
      assert.equal(formOf(text).action, `/admin/Play/form_update/${play('Brand').id}`)
      assert.isUndefined(ways.next)
      assert.isFalse(ways.savesNext)
      assert.notInclude(text, 'form-neighbours')
    }
  })

  test('[L11] the parameter list is parsed as a list query, and is never a redirect target', async ({
    assert,
  }) => {
    for (const list of [
      '//elsewhere.test/',
      'https://elsewhere.test/',
      '/\\elsewhere.test',
      '../../logout',
      '"><script>alert(1)</script>',
      'filter.secret%00=x',
      'page=99999999999999999999',
      `q=${'x'.repeat(10_000)}`,
      '\r\nset-cookie: a=b',
    ]) {
      const query = `?list=${encodeURIComponent(list)}`
      const { status, text } = await visit(formAt('Brand') + query)
      assert.equal(status, 200, list)
      assert.match(waysIn(text).back!, /^\/admin\/Play\/(\?|$)/)
      assert.notInclude(text, '<script>alert')
      const done = await send(`/admin/Play/form_update/${play('Brand').id}${query}`, {
        title: list.slice(0, 10),
      })
      const target = new URL(done.headers.get('location')!, urlOf('/'))
      assert.equal(target.origin + target.pathname, urlOf(LIST), list)
      assert.isNull(done.headers.get('set-cookie')?.match(/a=b/) ?? null)
    }
  })

  test('[L11] logging in when the session has ended preserves the link to the list', async ({
    assert,
  }) => {
    const requested = await get(formAt('Brand'), { headers: from(SORTED) })
    const next = new URL(requested.headers.get('location')!, urlOf('/')).searchParams.get('next')!
    const signedIn = await login('ada', PASSWORD, { next } as any)
    assert.equal(signedIn.headers.get('location'), next)
    assert.equal(await backOf(next), SORTED)

    const { action } = await open('Brand', SORTED)
    const ended = await sendForm(unescape(action), { title: 'x' }, {
      'hx-request': 'true',
      'hx-current-url': urlOf(formAt('Brand')),
    } as any)
    const login2 = new URL(ended.headers.get('hx-redirect')!, urlOf('/'))
    assert.equal(await backOf(login2.searchParams.get('next')!), SORTED)
  })

  test('[L11] before the login, no path reveals whether a model exists', async ({ assert }) => {
    const nextOf = async (name: string) => {
      const requested = await get(`/admin/${name}/update/1`, {
        headers: from(`/admin/${name}/?q=a`),
      })
      return requested.headers.get('location')!.replaceAll(name, 'X')
    }
    assert.equal(await nextOf('Play'), await nextOf('Nothing'))
    const long = await get(formAt('Brand'), { headers: from(`${LIST}?q=${'x'.repeat(2500)}`) })
    const next = new URL(long.headers.get('location')!, urlOf('/')).searchParams.get('next')
    assert.equal(next, formAt('Brand'))
  })

  test('[L11] Previous and Next follow the order and the filters of the list', async ({
    assert,
  }) => {
    const list = `${LIST}?filter.town=east&sort_by=note,title&sort_order=desc,asc`
    /* note 1: Danton, Faust; note 0: Antigone, Egmont; none: Brand */
    const order = ['Danton', 'Faust', 'Antigone', 'Egmont', 'Brand']
    let url: string | undefined = formAt(order[0])
    const seen: string[] = []
    let ways = await open(order[0], list)
    assert.isUndefined(ways.previous)
    for (;;) {
      seen.push(titleAt(url)!)
      url = ways.next
      if (!url) break
      const { text } = await visit(url)
      ways = { ...ways, ...waysIn(text) }
      assert.equal(titleAt(ways.previous), seen.at(-1))
    }
    assert.deepEqual(seen, order)
    assert.isFalse(ways.savesNext)
    assert.equal(ways.back, `${LIST}?filter.town=east&sort_by=note%2Ctitle&sort_order=desc%2Casc`)
  })

  test('[L11] without parameters, Previous and Next follow the default order of the list', async ({
    assert,
  }) => {
    const { previous, next } = await open('Danton', LIST)
    assert.deepEqual([titleAt(previous), titleAt(next)], ['Egmont', 'Candide'])
  })

  test('[L11, B16] Previous and Next skip deleted records, which have no form', async ({
    assert,
  }) => {
    await Play.query().where('title', 'Egmont').update({ isDeleted: true })
    const { previous } = await open('Danton', `${LIST}?deleted=include`)
    assert.equal(titleAt(previous), 'Faust')
    const { previous: none, next } = await open('Danton', `${LIST}?deleted=only`)
    assert.deepEqual([none, next], [undefined, undefined])
  })

  test('[L11] for a record that the filter excludes, Previous and Next lead to the records around its position', async ({
    assert,
  }) => {
    const { previous, next } = await open('Candide', `${LIST}?filter.town=east`)
    assert.deepEqual([titleAt(previous), titleAt(next)], ['Danton', 'Brand'])
  })

  test('[L11, U4] Previous and Next skip records that are out of scope or that the user cannot change', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false })
    cookie = await cookiesOf(jo)
    await Play.query().whereIn('title', ['Brand', 'Egmont']).update({ town: 'west' })
    await makeRole('East', { Play: { actions: ['view', 'update'], scopes: ['east'] } })
    await giveRoles(jo, ['East'])
    const near = await open('Danton', LIST)
    assert.deepEqual([titleAt(near.previous), titleAt(near.next)], ['Faust', 'Antigone'])

    await makeRole('Reader', { Play: { actions: ['view'] } })
    await giveRoles(jo, ['East', 'Reader'])
    cookie = await cookiesOf(jo)
    const far = await open('Danton', LIST)
    assert.equal(far.status, 200)
    assert.deepEqual([titleAt(far.previous), titleAt(far.next)], ['Faust', 'Antigone'])
  })

  test('[L11] Save and next opens the next record and shows the message of the saved one', async ({
    assert,
  }) => {
    const form = await open('Danton', `${LIST}?filter.town=east`)
    assert.isTrue(form.savesNext)
    /* It leaves the list. */
    const done = await send(form.action, { town: 'north', _next: '1' })
    const target = done.headers.get('location')
    assert.equal(titleAt(target), 'Brand')
    const next = await get(target!, { headers: { cookie: `${cookie}; ${cookiesFrom(done)}` } })
    assert.match(next.text, /<bdi>Danton<\/bdi><\/a>\s+updated/)
    assert.equal(waysIn(next.text).back, `${LIST}?filter.town=east`)

    const last = await open('Antigone', `${LIST}?filter.town=east`)
    assert.isFalse(last.savesNext)
    const end = await send(last.action, { note: 'last', _next: '1' })
    assert.equal(end.headers.get('location'), `${LIST}?filter.town=east`)
    const refused = await send(form.action, { title: 'x'.repeat(100), _next: '1' })
    assert.equal(refused.status, 400)
  })

  test('[L11] the message after a save says if nothing was changed', async ({ assert }) => {
    const said = async (fields: Record<string, string>) => {
      const { action, values } = await open('Brand', LIST)
      const done = await send(action, { ...values, ...fields })
      assert.equal(done.status, 303)
      const { text } = await get(LIST, { headers: { cookie: `${cookie}; ${cookiesFrom(done)}` } })
      return unescape(/<p class="flash-message".*?<\/p>/s.exec(text)![0].replace(/<[^>]*>/g, ''))
        .replace(/\s+/g, ' ')
        .trim()
    }
    assert.equal(await said({}), 'Nothing changed in Play Brand')
    assert.equal(await said({ note: 'new' }), 'Play Brand updated')
    assert.equal(await said({ note: 'new' }), 'Nothing changed in Play Brand')
    assert.equal(await said({ title: '<b>&{title}' }), 'Play <b>&{title} updated')
  })

  test('[L11] the list marks the record whose form the user has just left', async ({ assert }) => {
    const id = play('Egmont').id
    for (const page of [`update/${id}`, `update/${id}?list=page%3D1`, `form_update/${id}`]) {
      const { text } = await visit(LIST, from(`/admin/Play/${page}`))
      assert.include(markedIn(text), 'Egmont')
      assert.lengthOf(text.split('is-marked'), 2)
    }
    for (const headers of [
      {},
      from(LIST),
      from(`/admin/Stage/update/${id}`),
      { referer: `http://elsewhere.test/admin/Play/update/${id}` },
      from(`/admin/Play/update/${id + 1000}`),
      { ...from(`/admin/Play/update/${id}`), 'hx-request': 'true', 'hx-current-url': urlOf(LIST) },
    ]) {
      const { text } = await visit(LIST, headers)
      assert.isUndefined(markedIn(text), JSON.stringify(headers))
    }
  })
})
