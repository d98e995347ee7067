import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { OVER_CONNECTIONS } from '#tests/fixtures/value_types'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'
import { columnOf, TYPES } from '#tests/helpers/type_specimens'
import { COLUMNS, fill, rowsOf, type Row } from '#tests/helpers/typed_rows'

test.group('Values of all types over two connections', (group) => {
  group.tap((one) => one.tags(['@database']).skip(OVER_CONNECTIONS.length === 1, 'there is one'))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await db.from('typed_rows').delete()
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
    await fill()
  })

  test('[K5.6] values of all types are sorted and shown in the same way in lists, pages and forms on both connections', async ({
    assert,
  }) => {
    const both = async <Value>(read: (prefix: string, api: string) => Promise<Value>) =>
      assert.deepEqual(await read('Plain', 'plain-'), await read('', ''))
    for (const [index, { type }] of TYPES.entries()) {
      for (const direction of ['', '-']) {
        await both(async (_, api) => {
          const sort = `${direction}${columnOf(index)}`
          const { body, status } = await get(`/api/${api}typed-rows?sort=${sort}`)
          return [type, status, body.data?.map(({ id }: Row) => id)]
        })
      }
    }
    const cells = async (path: string) => {
      const { text } = await get(path, { headers: { accept: 'text/html', cookie } })
      const [, main] = /<main.*?>(.*)<\/main>/s.exec(text)!
      return [...main.matchAll(/<(?:td|dd)\b[^>]*>(.*?)<\/(?:td|dd)>/gs)].map(([, cell]) =>
        cell.replace(/<[^>]*>/g, '').trim()
      )
    }
    for (const model of ['TypedRow', 'DatedRow', 'HookedRow']) {
      await both((prefix) => cells(`/admin/${prefix}${model}/`))
      for (const row of rowsOf()) {
        await both((prefix) => cells(`/admin/${prefix}${model}/view/${row + 1}`))
        await both(async (prefix) => {
          const path = `/admin/${prefix}${model}/update/${row + 1}`
          const { text } = await get(path, { headers: { accept: 'text/html', cookie } })
          const { values } = formOf(text)
          return COLUMNS.map((name) => values[name])
        })
      }
    }
  })
})
