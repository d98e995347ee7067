import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { Play } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { column, getList, unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const EITHER = 'filter.any.1.town=west&filter.any.1.title=Hamlet'

test.group('Admin | list | filter groups', (group) => {
  let ada: AdminUser
  let cookie: string

  group.tap((one) => one.tags(['@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    for (const [title, town, secret] of [
      ['Hamlet', 'east', 'a'],
      ['Macbeth', 'west', 'b'],
      ['Othello', 'east', 'b'],
      ['Tempest', 'north', null],
    ]) {
      await Play.create({ title: title!, town: town!, secret })
    }
    ada = await makeUser('ada', { isSuperuser: false })
    cookie = await cookiesOf(ada)
    return () => restoreRoles()
  })

  const list = (query: string, as = cookie) => getList(as, `/admin/Play/?columns=title&${query}`)
  const titles = async (query: string, as = cookie) => column(await list(query, as), 0).toSorted()

  async function save(query: string, fields: Record<string, string> = {}): Promise<string> {
    const sent = { name: 'A view', query, ...fields }
    const { headers } = await sendForm('/admin/Play/views', sent, { cookie })
    return /view=(\d+)$/.exec(headers.get('location')!)![1]
  }

  test('[G3] a list contains the records that match an alternative of each group, and all other filters', async ({
    assert,
  }) => {
    assert.deepEqual(await titles(EITHER), ['Hamlet', 'Macbeth'])
    assert.deepEqual(await titles(`${EITHER}&filter.secret=b`), ['Macbeth'])
    assert.deepEqual(await titles(`${EITHER}&filter.any.2.secret=a&filter.any.2.town=north`), [
      'Hamlet',
    ])
    assert.deepEqual(await titles('filter.not.secret=b'), ['Hamlet'])
    assert.deepEqual(await titles('filter.any.1.not.secret=b&filter.any.1.secret__is=null'), [
      'Hamlet',
      'Tempest',
    ])
  })

  test('[G3, D2] exports, facets and the links to the next records respect groups', async ({
    assert,
  }) => {
    const headers = { cookie }
    const csv = await get(`/admin/Play/export?format=csv&columns=title&${EITHER}`, { headers })
    assert.sameMembers(csv.text.trim().split(/\r?\n/).slice(1), ['Hamlet', 'Macbeth'])
    const facets = await get(`/admin/Play/facets?${EITHER}`, { headers })
    assert.match(facets.text, /Hamlet/)
    assert.notMatch(facets.text, /Othello/)
    const { id } = await Play.findByOrFail('title', 'Hamlet')
    const record = await get(`/admin/Play/view/${id}?list=${encodeURIComponent(EITHER)}`, {
      headers,
    })
    const macbeth = await Play.findByOrFail('title', 'Macbeth')
    assert.include(record.text, `/view/${macbeth.id}`)
    assert.notInclude(record.text, `/view/${macbeth.id + 1}`)
  })

  test('[G3, L8] an action on all matching records respects groups', async ({ assert }) => {
    const query = `${EITHER}&filter.not.title=Macbeth`
    const remove = (count: number) =>
      call('DELETE', '/admin/Play/bulk-delete', {
        headers: { cookie },
        json: { all: true, query, count },
      })
    const other = await remove(2)
    assert.equal(other.status, 409)
    const { status } = await remove(1)
    assert.equal(status, 200)
    assert.deepEqual(await titles(''), ['Macbeth', 'Othello', 'Tempest'])
  })

  test('[G3] with too many groups or conditions the page shows an error, and no group or filter applies', async ({
    assert,
  }) => {
    const groups = Array.from({ length: 11 }, (_, index) => `filter.any.${index}.title=Hamlet`)
    for (const query of [groups.join('&'), 'filter.title=Hamlet&'.repeat(51)]) {
      const { text, rows } = await list(query)
      assert.lengthOf(rows, 4)
      const notes = [...text.matchAll(/<p class="list-note">([^<]*)<a href="([^"]*)"/g)]
      assert.lengthOf(notes, 1)
      assert.include(notes[0][1], 'at most 50 conditions in 10 groups')
      assert.equal(unescape(notes[0][2]), '/admin/Play/?columns=title')
      assert.notInclude(text, 'name="ids"')
      const response = await call('DELETE', '/admin/Play/bulk-delete', {
        headers: { cookie },
        json: { all: true, query, count: 4 },
      })
      assert.equal(response.status, 422)
    }
  })

  test('[G3, L5] a group of a saved view and one of the URL both apply, even with the same number', async ({
    assert,
  }) => {
    const id = await save(`${EITHER}&filter.any.2.secret=a&filter.any.2.secret=b`)
    assert.deepEqual(await titles(`view=${id}`), ['Hamlet', 'Macbeth'])
    for (const number of [1, 2, 9]) {
      const query = `view=${id}&filter.any.${number}.secret=b&filter.any.${number}.title=Othello`
      assert.deepEqual(await titles(query), ['Macbeth'])
    }
    const next = await list(`view=${id}&filter.any.1.secret=b`)
    assert.include(unescape(next.text), `?view=${id}&filter.any.3.secret=b&columns=title`)
  })

  test('[G3, L5] a group of a saved view is removed by a link, and the view stays open', async ({
    assert,
  }) => {
    const id = await save(`${EITHER}&filter.any.2.secret=b`)
    const { text } = await list(`view=${id}`)
    const [, url] = /id="remove-filter-0" href="([^"]*)"/.exec(text)!
    const query = unescape(url).split('?')[1]
    assert.include(query, `view=${id}`)
    assert.include(query, 'filter.any.1=')
    assert.deepEqual(await titles(query), ['Macbeth', 'Othello'])
  })

  test('[G3, L5] an edited alternative replaces that of the saved view in the URL, and the view stays open', async ({
    assert,
  }) => {
    const id = await save(`${EITHER}&filter.secret=b`)
    const { text } = await list(`view=${id}`)
    const [, url] = /id="edit-filter-0-1" href="([^"]*)"/.exec(text)!
    const fields = new URLSearchParams(unescape(url).split('?')[1])
    fields.set('add.column', 'title')
    fields.set('add.operator', 'eq')
    fields.set('add.for', 'one title')
    fields.set('add.value', 'Othello')
    fields.set('add.apply', '1')
    const { headers } = await get(`/admin/Play/filter?${fields}`, { headers: { cookie } })
    const query = headers.get('location')!.split('?')[1]
    assert.include(query, `view=${id}`)
    assert.notInclude(query, 'secret')
    assert.deepEqual(await titles(query), ['Macbeth', 'Othello'])
    const again = await list(query)
    assert.include(again.text, '<span class="filter-label">Title</span> is Othello')
  })

  test('[G3, U3] an alternative on a column that a role hides is ignored and not named, in a shared view and in the URL', async ({
    assert,
  }) => {
    const id = await save('filter.any.1.secret=a&filter.any.1.town=west', { shared: '1' })
    await makeRole('Role of bob', { Play: { actions: ['*'], hidden: ['secret'] } })
    const bob = await cookiesOf(
      await makeUser('bob', { isSuperuser: false, roles: ['Role of bob'] })
    )
    const { text } = await list(`view=${id}`, bob)
    assert.include(
      text,
      'A filter of this view uses a field that your roles do not include, and is ignored.'
    )
    assert.notInclude(text, 'secret')
    assert.deepEqual(await titles(`view=${id}`, bob), ['Macbeth'])
    const own = await list('filter.any.1.secret=a', bob)
    assert.lengthOf(own.rows, 4)
    assert.include(own.text, 'there is no such filter, or your roles do not include the field')
  })
})
