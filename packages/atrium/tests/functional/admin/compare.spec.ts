import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { Shelf } from '#tests/fixtures/undo'
import { Play, Stage } from '#tests/fixtures/stages'
import { get } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

/** Returns each row of the comparison as its label, whether it differs, and the values. */
function rowsOf(html: string): Record<string, { differs: boolean; values: string[] }> {
  const plain = (text: string) =>
    text
      .replace(/<span aria-hidden="true">–<\/span>/g, '')
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  const body = /<tbody[^]*?<\/tbody>/.exec(html)?.[0] ?? ''
  return Object.fromEntries(
    [...body.matchAll(/<tr([^>]*)>([^]*?)<\/tr>/g)].map(([, attributes, row]) => [
      plain(/<span dir="auto">(.*?)<\/span>/.exec(row)![1]),
      {
        differs: attributes.includes('data-differs'),
        values: [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => plain(cell)),
      },
    ])
  )
}

test.group('Admin | comparison', (group) => {
  let plays: Play[]
  let boss: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const stage = await Stage.create({ name: 'Globe', town: 'east' })
    plays = await Play.createMany([
      { title: 'Faust', town: 'east', note: 'same', secret: 'QZXONE', stageId: stage.id },
      { title: 'Medea', town: 'west', note: 'same', secret: 'QZXTWO', stageId: stage.id },
      { title: 'Hamlet', town: 'east', note: 'same', secret: 'QZXTWO', stageId: null },
    ])
    boss = await cookiesOf(await makeUser('jo'))
    return () => restoreRoles()
  })

  const open = (path: string, cookie: string) =>
    get(path, { headers: { accept: 'text/html', cookie } })
  const statusOf = async (path: string, as: string) => {
    const { status } = await open(path, as)
    return status
  }
  const place = (records: ReadonlyArray<{ id: number }>, rest = '') =>
    `/admin/Play/compare?${records.map(({ id }) => `ids=${id}`).join('&')}${rest}`

  test('[G compare] shows the selected records side by side and marks the fields that differ', async ({
    assert,
  }) => {
    const { status, text } = await open(place(plays.toReversed()), boss)
    assert.equal(status, 200)
    const rows = rowsOf(text)
    assert.deepEqual(rows.Title, { differs: true, values: ['Hamlet', 'Medea', 'Faust'] })
    assert.deepEqual(rows.Town, { differs: true, values: ['east', 'west', 'east'] })
    assert.isFalse(rows.Note.differs)
    assert.deepEqual(rows.Stage.values.slice(1), ['Globe', 'Globe'])
    assert.isTrue(rows.Stage.differs)
    assert.include(text, `href="/admin/Play/update/${plays[0].id}"`)
  })

  test('[G compare.2] datetimes that look the same are not marked', async ({ assert }) => {
    const shelves = await Shelf.createMany([{ name: 'One' }, { name: 'Two' }])
    const times = ['2020-01-02 03:04:05', '2020-01-02 03:04:06']
    const setTimes = async () => {
      for (const [index, { id }] of shelves.entries()) {
        await db.from('undo_shelves').where('id', id).update({ updated_at: times[index] })
      }
    }
    const differs = async () => {
      const query = shelves.map(({ id }) => `ids=${id}`).join('&')
      const { text } = await open(`/admin/Shelf/compare?${query}`, boss)
      return rowsOf(text)['Updated at'].differs
    }
    await setTimes()
    assert.isFalse(await differs())
    times[1] = '2020-01-02 03:05:05'
    await setTimes()
    assert.isTrue(await differs())
  })

  test('[G compare] the parameter for differences hides equal fields, and the page links to both forms', async ({
    assert,
  }) => {
    const all = await open(place(plays.slice(0, 2), '&next=/admin/Play/?page=1'), boss)
    assert.match(all.text, /href="[^"]*differences=1"[^>]*>Show only differences/)
    const { text } = await open(place(plays.slice(0, 2), '&differences=1'), boss)
    assert.notProperty(rowsOf(text), 'Note')
    assert.property(rowsOf(text), 'Title')
    assert.include(text, 'Show all fields')
  })

  test('[G compare] the list offers the comparison of two to five records, without JavaScript too', async ({
    assert,
  }) => {
    const list = await open('/admin/Play/', boss)
    assert.match(
      list.text,
      /<button[^>]*formaction="\/admin\/Play\/compare"[^>]*formmethod="get"[^>]*>Compare</
    )
    const six = await Promise.all(
      Array.from({ length: 6 }, (_, index) => Play.create({ title: `P${index}`, town: 'east' }))
    )
    for (const some of [[], plays.slice(0, 1), six, [plays[0], plays[0]]]) {
      const { status, headers } = await open(place(some, '&next=/admin/Play/?page=1'), boss)
      assert.equal(status, 303)
      assert.equal(headers.get('location'), '/admin/Play/?page=1')
      const cookies = headers.getSetCookie().map((one) => one.split(';')[0])
      const { text } = await open('/admin/Play/', [boss, ...cookies].join('; '))
      assert.include(text, 'Select 2 to 5 records to compare.')
    }
    assert.equal(await statusOf(place(six.slice(0, 5)), boss), 200)
  })

  test('[G compare] the comparison hides what the role cannot view: records, columns and the page', async ({
    assert,
  }) => {
    await makeRole('East', {
      Play: { actions: ['view'], scopes: ['east'], hidden: ['secret', 'note'] },
    })
    const user = await makeUser('kim', { isSuperuser: false, roles: ['East'] })
    const cookie = await cookiesOf(user)
    const { status, text } = await open(place([plays[0], plays[2]]), cookie)
    assert.equal(status, 200)
    assert.notProperty(rowsOf(text), 'Note')
    assert.notMatch(text, /QZX/)
    assert.equal(await statusOf(place(plays), cookie), 404)
    assert.equal(await statusOf(place([plays[0], { id: 999_999 }]), cookie), 404)

    await makeRole('None', { Stage: { actions: ['view'] } })
    const other = await makeUser('lou', { isSuperuser: false, roles: ['None'] })
    assert.equal(await statusOf(place(plays), await cookiesOf(other)), 404)
  })

  test('[G compare, R8] the history compares two versions of a record, the earlier one first', async ({
    assert,
  }) => {
    const play = await Play.findOrFail(plays[0].id)
    await play.merge({ title: 'Urfaust' }).save()
    await play.merge({ note: null }).save()
    const history = `/admin/Play/history/${play.id}`
    const { text: list } = await open(history, boss)
    const ids = [...list.matchAll(/name="compare" value="(\d+)"/g)].map(([, id]) => id)
    assert.lengthOf(ids, 3)
    const { status, text } = await open(`${history}?compare=${ids[0]}&compare=${ids[2]}`, boss)
    assert.equal(status, 200)
    const rows = rowsOf(text)
    assert.deepEqual(rows.Title, { differs: true, values: ['Faust', 'Urfaust'] })
    assert.isTrue(rows.Note.differs)
    assert.isFalse(rows.Town.differs)
    const one = await open(`${history}?compare=${ids[0]}`, boss)
    assert.equal(one.headers.get('location'), history)
    assert.equal(await statusOf(`${history}?compare=${ids[0]}&compare=999999`, boss), 404)
  })
})
