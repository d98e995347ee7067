import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { onPostgres } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { get, patch, post } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import {
  columnOf,
  hasFilterOnItems,
  isArrayType,
  specimenOf,
  TYPES,
} from '#tests/helpers/type_specimens'
import { fill, rowsOf, textOf, type Row } from '#tests/helpers/typed_rows'

test.group('Arrays', (group) => {
  group.tap((one) => one.tags(['@dialect']).skip(!onPostgres, 'only there are arrays'))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await db.from('typed_rows').delete()
    await emptyAdminTables()
    await emptyEventTables()
    cookie = await cookiesOf(await makeUser('jo'))
    await fill()
  })

  const open = (path: string) => get(path, { headers: { accept: 'text/html', cookie } })

  test('an array column accepts a list in the API and in a form, and refuses other values and items', async ({
    assert,
  }) => {
    const texts = columnOf(TYPES.findIndex(({ type }) => type === 'text[]'))
    const numbers = columnOf(TYPES.findIndex(({ type }) => type === 'integer[]'))
    for (const [field, value, item] of [
      [texts, 'x', ''],
      [texts, [1], ': an item must be a string'],
      [numbers, [1, 'two'], ': an item must be an integer of at most 64 bits'],
      [numbers, [2 ** 31], ': an item must be between -2147483648 and 2147483647'],
    ] as const) {
      const { status, body } = await post(`/api/typed-rows`, { name: 'a', [field]: value })
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, field)
      assert.include(body.errors[0].message, `must be a`)
      assert.include(body.errors[0].message, item)
    }
    const { body: made } = await post(`/api/typed-rows`, {
      name: 'a',
      [texts]: ['a', 'b,c'],
      [numbers]: [3, 5],
    })
    const shown = await open(`/admin/TypedRow/update/${made.id}`)
    const { action, values } = formOf(shown.text)
    assert.include(shown.text, 'data-tags')
    assert.include(values, { [texts]: 'a\nb,c', [numbers]: '3\n5' })
    const sent = { ...values, [texts]: 'a\nb,c\na', [numbers]: '[7, null]' }
    const saved = await sendForm(action, sent, { cookie })
    assert.equal(saved.status, 303)
    const { body } = await get(`/api/typed-rows/${made.id}`)
    assert.deepEqual(
      [body[texts], body[numbers]],
      [
        ['a', 'b,c', 'a'],
        [7, null],
      ]
    )
    const again = await open(`/admin/TypedRow/update/${made.id}`)
    assert.include(formOf(again.text).values, {
      [texts]: '["a","b,c","a"]',
      [numbers]: '[7,null]',
    })
    await patch(`/api/typed-rows/${made.id}`, { [numbers]: [7, 8] })
    const { events } = await adminSite()
    await events.settle()
    const history = await open(`/admin/TypedRow/history/${made.id}`)
    assert.match(history.text, /3, 5\s*</)
    assert.match(history.text, /7, 8\s*</)
    assert.match(history.text, /&quot;b,c&quot;/)
  })

  test('[A18.7] filters find arrays that contain an item, and arrays without items', async ({
    assert,
  }) => {
    const found = async (filter: Record<string, string>) => {
      const { body, status } = await get(`/api/typed-rows?${new URLSearchParams(filter)}`)
      return status === 200 ? body.data.map(({ id }: Row) => id) : body.errors[0].message
    }
    for (const [index, { type, values }] of TYPES.entries()) {
      if (!isArrayType(type)) continue
      const name = columnOf(index)
      const isFilled = (row: number) => (specimenOf(index, row)?.[1] as unknown[])?.length > 0
      const empty = rowsOf().filter((row) => !isFilled(row))
      assert.deepEqual(
        await found({ [`${name}__is`]: 'empty' }),
        empty.map((row) => row + 1),
        type
      )
      if (!hasFilterOnItems(type)) continue
      for (const [row, [, list]] of values.entries()) {
        for (const item of (list as unknown[]).flat().filter((one) => one !== null && one !== '')) {
          const isIn = await found({ [`${name}__contains`]: textOf(item) })
          assert.include(isIn, row + 1, `${type} ${item}`)
          assert.isEmpty(
            isIn.filter((id: number) => empty.includes(id - 1)),
            type
          )
        }
      }
    }
    const texts = columnOf(TYPES.findIndex(({ type }) => type === 'text[]'))
    const numbers = columnOf(TYPES.findIndex(({ type }) => type === 'integer[]'))
    assert.deepEqual(await found({ [`${texts}__contains`]: 'b' }), [3])
    assert.deepEqual(await found({ [`${texts}__contains`]: 'B' }), [])
    assert.deepEqual(await found({ [`${numbers}__contains`]: '1099511627776' }), [])
    assert.include(await found({ [`${numbers}__contains`]: 'two' }), 'must be an integer')
    assert.include(await found({ [`${numbers}__is`]: 'blank' }), 'must be null or empty')
  })

  test('[L2.3] a list can be filtered by the items of an array', async ({ assert }) => {
    const name = columnOf(TYPES.findIndex(({ type }) => type === 'integer[]'))
    const form = await open(`/admin/TypedRow/filter?add.column=${name}`)
    const [, operators] = /<select[^>]* name="add.operator".*?>(.*?)<\/select>/s.exec(form.text)!
    const offered = [...operators.matchAll(/value="(\w+)"/g)].map(([, value]) => value)
    assert.deepEqual(offered, ['contains', 'empty', 'filled'])
    for (const [operator, value, parameter, words, rows] of [
      ['contains', '2', `${name}__contains=2`, 'contains “2”', [0]],
      ['empty', '', `${name}__is=empty`, 'is empty', rowsOf().slice(1)],
      ['filled', '', `${name}__is_not=empty`, 'is not empty', [0]],
    ] as const) {
      const made = new URLSearchParams({
        'add.column': name,
        'add.operator': operator,
        'add.for': `${value === '' ? 'none' : 'text'} ${name}`,
        'add.value': value,
        'add.apply': '1',
      })
      const { status, headers } = await open(`/admin/TypedRow/filter?${made}`)
      assert.equal(status, 303)
      assert.include(headers.get('location'), `filter.${parameter}`)
      const { text } = await open(headers.get('location')!)
      assert.include(text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' '), words)
      const shown = [...text.matchAll(/TypedRow\/(?:view|update)\/(\d+)/g)].map(([, id]) =>
        Number(id)
      )
      assert.sameMembers(
        [...new Set(shown)],
        rows.map((row) => row + 1)
      )
    }
  })
})
