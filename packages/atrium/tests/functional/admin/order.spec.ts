import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Psalter, TABLES, Hymn } from '#tests/fixtures/order'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get, patch, post, statusOf } from '#tests/helpers/http'
import { chunks } from '#base/chunks'
import { onSqlite } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { loggedEvents } from '#tests/helpers/model_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

async function names(): Promise<string> {
  const rows = await db.from('order_hymns').orderBy('position').orderBy('id')
  return rows.map(({ name }) => name).join('')
}

async function places(): Promise<Record<string, number>> {
  const rows = await db.from('order_hymns')
  return Object.fromEntries(rows.map(({ name, position }) => [name, position]))
}

test.group('Admin | order of records', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let cookie: string
  let ids: Record<string, number>

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    cookie = await cookiesOf(await makeUser('jo'))
    ids = {}
    for (const name of 'abcde') {
      const hymn = await Hymn.create({ name, genre: 'bd'.includes(name) ? 'jazz' : 'rock' })
      ids[name] = hymn.id
    }
    await emptyEventTables()
    return () => restoreRoles()
  })

  const move = (name: string, fields: Record<string, string>, query = '', as = cookie) =>
    sendForm(`/admin/Hymn/move/${ids[name]}${query}`, fields, { cookie: as })

  test('[order] a new row comes last, whatever code creates it', async ({ assert }) => {
    await post('/api/hymns', { name: 'f' })
    await post('/api/hymns/batch', { create: [{ name: 'g' }, { name: 'h' }] })
    await sendForm('/admin/Hymn/form_create', { name: 'i' }, { cookie })
    await Hymn.createMany([{ name: 'j' }, { name: 'k' }])
    await Hymn.create({ name: '0', position: -5 })
    assert.equal(await names(), '0abcdefghijk')
    const rows = Object.values(await places())
    assert.lengthOf(new Set(rows), rows.length)
  })

  test('[order] the list has the stored order, and shows handles to users who can move rows', async ({
    assert,
  }) => {
    const { text } = await get('/admin/Hymn/', { headers: { cookie } })
    const titles = [...text.matchAll(/data-key="\d+" aria-label="Move (\w)"/g)].map(
      ([, name]) => name
    )
    assert.equal(titles.join(''), 'abcde')
    assert.include(text, `href="/admin/Hymn/move/${ids.a}`)
    const { text: other } = await get('/admin/Hymn/?sort_by=name&sort_order=asc', {
      headers: { cookie },
    })
    assert.notInclude(other, 'move-handle')
    const form = await get('/admin/Hymn/create_page', { headers: { cookie } })
    assert.notInclude(form.text, 'name="position"')

    await makeRole('Reader', { Hymn: { actions: ['view'] } })
    const reader = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Reader'] }))
    const { text: read } = await get('/admin/Hymn/', { headers: { cookie: reader } })
    assert.notInclude(read, 'move-handle')
    assert.equal(await statusOf(move('a', { to: 'down' }, '', reader)), 403)
    assert.equal(await names(), 'abcde')
  })

  test('[order] without JavaScript, buttons move a row up, down, to either end or to a position', async ({
    assert,
  }) => {
    const page = await get(`/admin/Hymn/move/${ids.c}`, { headers: { cookie } })
    for (const to of ['up', 'down', 'top', 'bottom', 'place']) {
      assert.match(page.text, new RegExp(`name="to" value="${to}"`), to)
    }
    const steps: Array<[string, Record<string, string>, string]> = [
      ['c', { to: 'up' }, 'acbde'],
      ['c', { to: 'down' }, 'abcde'],
      ['c', { to: 'top' }, 'cabde'],
      ['c', { to: 'bottom' }, 'abdec'],
      ['c', { to: 'place', place: '2' }, 'acbde'],
      ['c', { to: 'place', place: '4' }, 'abdce'],
      ['c', { to: 'place', place: '99' }, 'abdec'],
      ['a', { to: 'up' }, 'abdec'],
      ['a', { after: String(ids.e) }, 'bdeac'],
      ['a', { before: String(ids.b) }, 'abdec'],
      ['a', { to: 'place', place: '0' }, 'abdec'],
      ['a', { after: '999999' }, 'abdec'],
      ['a', { to: 'nowhere' }, 'abdec'],
    ]
    for (const [name, fields, order] of steps) {
      const { status, headers } = await move(name, fields, '?list=page%3D1')
      assert.equal(status, 303)
      assert.equal(headers.get('location'), '/admin/Hymn/')
      assert.equal(await names(), order, JSON.stringify([name, fields]))
    }
  })

  test('[order] a move writes one row and logs one event, which can be undone', async ({
    assert,
  }) => {
    const before = await places()
    await move('e', { after: String(ids.a) })
    const after = await places()
    assert.deepEqual(
      Object.keys(after).filter((name) => after[name] !== before[name]),
      ['e']
    )
    const events = await loggedEvents()
    const [event, ...others] = events.filter(({ eventType }) => eventType === 'UPDATE')
    assert.isEmpty(others)
    assert.equal(event.resourceId, String(ids.e))
    await sendForm(`/admin/management/events/${event.id}/undo`, {}, { cookie })
    assert.equal(await names(), 'abcde')
    await emptyEventTables()
    await move('a', { before: String(ids.b) })
    const none = await loggedEvents()
    assert.isEmpty(none.filter(({ eventType }) => eventType === 'UPDATE'))
  })

  test('[order] if no number is left between two rows, the rows are renumbered and keep their order', async ({
    assert,
  }) => {
    let first = 'b'
    for (let turn = 0; turn < 30; turn++) {
      first = first === 'b' ? 'c' : 'b'
      await move(first, { after: String(ids.a) })
      assert.equal(await names(), first === 'b' ? 'abcde' : 'acbde')
    }
    const rows = Object.values(await places())
    assert.lengthOf(new Set(rows), rows.length)
    const events = await loggedEvents()
    assert.lengthOf(
      events.filter(({ eventType }) => eventType === 'UPDATE'),
      30
    )
  })

  test('[order] a row can be moved between rows with the same number, which concurrent creates can cause', async ({
    assert,
  }) => {
    await db.from('order_hymns').update({ position: 7 })
    assert.equal(await names(), 'abcde')
    await move('e', { after: String(ids.a) })
    assert.equal(await names(), 'aebcd')
  })

  test('[order] a move is relative to the filtered list, and leaves the order of rows outside the list unchanged', async ({
    assert,
  }) => {
    const list = `?list=${encodeURIComponent('filter.genre=jazz')}`
    await move('d', { to: 'up' }, list)
    assert.equal(await names(), 'adbce')
    await move('d', { to: 'place', place: '2' }, list)
    assert.equal(await names(), 'abdce')
  })

  test('[order] a scope limits which rows a user can move, and next to which', async ({
    assert,
  }) => {
    await makeRole('Jazz', { Hymn: { actions: ['view', 'update'], scopes: ['jazz'] } })
    const jazz = await cookiesOf(await makeUser('lou', { isSuperuser: false, roles: ['Jazz'] }))
    await move('d', { to: 'up' }, '', jazz)
    assert.equal(await names(), 'adbce')
    await move('d', { after: String(ids.e) }, '', jazz)
    assert.equal(await names(), 'adbce')
    assert.equal(await statusOf(move('a', { to: 'down' }, '', jazz)), 404)
    await makeRole('Locked', { Hymn: { actions: ['view', 'update'], readonly: ['position'] } })
    const locked = await cookiesOf(await makeUser('mia', { isSuperuser: false, roles: ['Locked'] }))
    assert.equal(await statusOf(move('a', { to: 'down' }, '', locked)), 403)
    assert.equal(await names(), 'adbce')
  })

  test('[order] if several rows are moved concurrently, all moves are applied', async ({
    assert,
  }) => {
    const after = (name: string, other: string) => move(name, { after: String(ids[other]) })
    const responses = await Promise.all([after('e', 'a'), after('d', 'a'), after('b', 'c')])
    for (const { status } of responses) assert.equal(status, 303)
    const order = await names()
    assert.match(order, /^a(ed|de)cb$/)
    const rows = Object.values(await places())
    assert.lengthOf(new Set(rows), rows.length)
  })

  test('[order] rows of a form are in the stored order, and few numbers change when it is saved', async ({
    assert,
  }) => {
    const psalter = await Psalter.create({ name: 'Blue' })
    await db.from('order_hymns').update({ psalter_id: psalter.id })
    const before = await places()
    const path = `/admin/Psalter/update/${psalter.id}`
    const { text } = await get(path, { headers: { cookie } })
    const { values: fields } = formOf(text)
    const numberOf = (name: string) =>
      Object.keys(fields)
        .find((key) => /\.name$/.test(key) && fields[key] === name)!
        .split('.')[1]
    const order = ['e', 'a', 'b', 'c', 'd']
    for (const [index, name] of order.entries()) {
      fields[`hymns.${numberOf(name)}.position`] = String(index + 1)
    }
    await emptyEventTables()
    const { status } = await sendForm(`/admin/Psalter/form_update/${psalter.id}`, fields, {
      cookie,
    })
    assert.equal(status, 303)
    assert.equal(await names(), 'eabcd')
    const after = await places()
    assert.deepEqual(
      Object.keys(after).filter((name) => after[name] !== before[name]),
      ['e']
    )
    const events = await loggedEvents()
    assert.lengthOf(
      events.filter(({ eventType }) => eventType === 'UPDATE'),
      1
    )
  })

  test('[order] rows whose numbers use the whole range of the column can still be moved', async ({
    assert,
  }) => {
    await db.from('order_hymns').delete()
    const rows = Array.from({ length: 400 }, (_, index) => ({
      name: String.fromCodePoint(0x4e00 + index),
      position: Math.min(100 * (index + 1), 32_767),
    }))
    for (const some of chunks(rows, 100)) await db.table('order_hymns').multiInsert(some)
    const before = [...(await names())]
    const idOf = async (name: string) => {
      const { id } = await db.from('order_hymns').where('name', name).firstOrFail()
      ids[name] = id
      return name
    }
    const [first, , third] = before
    const said = (name: string, fields: Record<string, string>) => statusOf(move(name, fields))
    assert.equal(await said(await idOf(first), { to: 'bottom' }), 303)
    assert.equal([...(await names())].join(''), [...before.slice(1), first].join(''))
    assert.equal(await said(await idOf(third), { to: 'place', place: '390' }), 303)
    assert.equal([...(await names())].indexOf(third), 389)
    const { position } = await Hymn.create({ name: 'new' })
    if (!onSqlite) assert.isAtMost(position, 32_767)
    assert.match(await names(), /new$/)
  })

  test('[order.3] a move among many consecutive numbers renumbers all rows with few statements', async ({
    assert,
  }) => {
    await db.from('order_hymns').delete()
    const rows = Array.from({ length: 1000 }, (_, index) => ({ name: 'x', position: index + 1 }))
    for (const some of chunks(rows, 100)) await db.table('order_hymns').multiInsert(some)
    const before = await db.from('order_hymns').orderBy('position').select('id')
    const [first, second] = before.map(({ id }) => String(id))
    ids.x = Number(before.at(-1).id)
    const statements = await queriesOf(() => move('x', { before: second }))
    assert.isBelow(statements.filter((sql) => sql.startsWith('update')).length, 20)
    const after = await db.from('order_hymns').orderBy('position').select('id')
    const order = after.map(({ id }) => String(id))
    assert.deepEqual(order.slice(0, 3), [first, String(ids.x), second])
    assert.deepEqual(
      order.slice(3),
      before.slice(2, -1).map(({ id }) => String(id))
    )
  })

  test('[order] REST can write the number of a row, and a write without the number does not change it', async ({
    assert,
  }) => {
    await patch(`/api/hymns/${ids.e}`, { position: 0 })
    await patch(`/api/hymns/${ids.d}`, { name: 'D' })
    assert.equal(await names(), 'eabcD')
  })
})
