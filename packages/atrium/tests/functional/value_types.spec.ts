import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { parse } from 'csv-parse/sync'
import {
  columnOf,
  DATED,
  hasFilterOnItems,
  isArrayType,
  specimenOf,
  TYPE_ROWS,
  TypedRow,
  TYPES,
} from '#tests/fixtures/value_types'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { each, onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { call, get, patch, post } from '#tests/helpers/http'
import { emptyImportTables } from '#tests/helpers/import_forms'
import { emptyJobTables, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { exportedFile, importedFile } from '#tests/helpers/trips'

type Row = Record<string, unknown>

const COLUMNS = TYPES.map((_, index) => columnOf(index))

/** Rows of all values; what MySQL's strict mode refuses was stored before there was any. */
async function fill() {
  await db.transaction(async (client) => {
    if (onMysql) {
      await client.rawQuery('set @strict = @@sql_mode')
      await client.rawQuery("set session sql_mode = ''")
    }
    for (let row = 0; row < TYPE_ROWS; row++) {
      const values = TYPES.map((_, index) => specimenOf(index, row)?.[0] ?? 'null')
      await client.rawQuery(
        `insert into typed_rows (id, name, ${COLUMNS.join(', ')}) values (${row + 1}, 'row', ${values.join(', ')})`
      )
    }
    if (onMysql) await client.rawQuery('set session sql_mode = @strict')
  })
}

/** The values as the database writes them, by type */
async function stored(id: number): Promise<Row> {
  const expression = (name: string, type: string) =>
    each({
      sqlite: `typeof(${name}) || quote(${name})`,
      postgres: `${name}::text`,
      mysql: /blob|bin|bit|point/.test(type) ? `hex(${name})` : `cast(${name} as char)`,
    })
  const list = TYPES.map(
    ({ type }, index) => `${expression(columnOf(index), type)} as ${columnOf(index)}`
  )
  const [row] = await db
    .from('typed_rows')
    .where('id', id)
    .select(db.raw(list.join(', ')))
  return byType(row)
}

function byType(row: Row, isWanted: (index: number) => boolean = () => true): Row {
  return Object.fromEntries(
    TYPES.flatMap(({ type }, index) => (isWanted(index) ? [[type, row[columnOf(index)]]] : []))
  )
}

const rowsOf = () => Array.from({ length: TYPE_ROWS }, (_, row) => row)

/** True for a value that can be written to a new record */
const isWritable = (row: number) => (index: number) => !TYPES[index].kept?.includes(row)

test.group('Values of all types', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async ({ context }) => {
    await db.from('typed_rows').delete()
    await emptyAdminTables()
    await emptyJobTables()
    await emptyImportTables()
    await emptyEventTables()
    cookie = await cookiesOf(await makeUser('jo'))
    context.cleanup(await work())
    await fill()
  })

  const open = async (path: string) => {
    const answer = await get(path, { headers: { accept: 'text/html', cookie } })
    return answer
  }

  test('reads each value in its documented form, and keeps it when the same is written back', async ({
    assert,
  }) => {
    for (const row of rowsOf()) {
      const path = `/api/typed-rows/${row + 1}`
      const { body } = await get(path)
      const expected = TYPES.map((_, index) => [
        columnOf(index),
        specimenOf(index, row)?.[1] ?? null,
      ])
      assert.deepEqual(...differing(byType(body), byType(Object.fromEntries(expected))))
      const before = await stored(row + 1)
      const { id, ...values } = body
      const written = await patch(path, { ...values, name: 'changed' })
      assert.equal(written.status, 200, written.text)
      assert.deepEqual(...differing(await stored(row + 1), before))
    }
  })

  test('stores every digit of a JSON number, and refuses more decimal places than the column has', async ({
    assert,
  }) => {
    const name = (type: string) => columnOf(TYPES.findIndex((one) => one.type === type))
    const [long, short] = each({
      sqlite: ['numeric', 'decimal(10,2)'],
      postgres: ['numeric(20,5)', 'numeric(10,2)'],
      mysql: ['decimal(20,5)', 'decimal(10,2)'],
    }).map(name)
    const digits = onSqlite ? '1234567890.12345' : '123456789012345.12345'
    const made = await call('POST', '/api/typed-rows', {
      body: `{"name": "a", "${long}": ${digits}, "${short}": 10.990}`,
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(made.status, 201, made.text)
    assert.equal(String(made.body[long]), digits)
    assert.equal(made.body[short], 10.99)
    for (const value of [10.999, '10.999', '-0.001']) {
      const { status, body } = await post('/api/typed-rows', { name: 'a', [short]: value })
      assert.equal(status, 422)
      assert.deepEqual(body.errors, [
        {
          field: short,
          rule: 'scale',
          message: `The ${short} field must have at most 2 decimal places`,
        },
      ])
    }
  })

  test('stores in a new record what was read of another one', async ({ assert }) => {
    for (const row of rowsOf()) {
      const { body } = await get(`/api/typed-rows/${row + 1}`)
      const names = COLUMNS.filter((_, index) => isWritable(row)(index))
      const values = Object.fromEntries(names.map((name) => [name, body[name]]))
      const made = await post('/api/typed-rows', { ...values, name: 'copy' })
      assert.equal(made.status, 201, made.text)
      const isCopied = TYPES.filter((_, index) => isWritable(row)(index)).map(({ type }) => type)
      assert.deepEqual(...differing(await stored(made.body.id), await stored(row + 1), isCopied))
    }
  })

  test('finds each value by the form in which it is read', async ({ assert }) => {
    for (const row of rowsOf()) {
      for (const [index, { type, filters = true }] of TYPES.entries()) {
        const [, value] = specimenOf(index, row) ?? []
        if (!filters || value === undefined || !isWritable(row)(index)) continue
        const query = new URLSearchParams({ [columnOf(index)]: textOf(value) })
        const { body, status } = await get(`/api/typed-rows?${query}`)
        assert.equal(status, 200, `${type} ${value} ${JSON.stringify(body)}`)
        assert.deepEqual(
          body.data.map(({ id }: Row) => id),
          [row + 1],
          `${type} ${value}`
        )
      }
    }
  })

  test('keeps each value when a form changes another field', async ({ assert }) => {
    for (const row of rowsOf()) {
      const before = await stored(row + 1)
      const { text } = await open(`/admin/TypedRow/update/${row + 1}`)
      const { action, values } = formOf(text)
      const saved = await sendForm(action, { ...values, name: `changed ${row}` }, { cookie })
      assert.equal(saved.status, 303, formOf(saved.text || text).error)
      const { name } = await TypedRow.findOrFail(row + 1)
      assert.equal(name, `changed ${row}`)
      assert.deepEqual(...differing(await stored(row + 1), before))
    }
  })

  test('keeps each date and datetime of a model that reads them by luxon', async ({ assert }) => {
    for (const row of rowsOf()) {
      const before = await stored(row + 1)
      for (const page of ['view/', 'update/', 'history/', 'create_page?from=']) {
        const { status, text } = await open(`/admin/DatedRow/${page}${row + 1}`)
        assert.equal(status, 200, `${page} ${text.slice(0, 500)}`)
        assert.notInclude(text, 'Invalid DateTime')
      }
      const { text } = await open(`/admin/DatedRow/update/${row + 1}`)
      const { action, values } = formOf(text)
      const saved = await sendForm(action, { ...values, name: `dated ${row}` }, { cookie })
      assert.equal(saved.status, 303, formOf(saved.text || text).error)
      const { body } = await get(`/api/dated-rows/${row + 1}`)
      assert.equal(body.name, `dated ${row}`)
      for (const index of DATED) {
        assert.equal(body[columnOf(index)], specimenOf(index, row)?.[1] ?? null)
      }
      const { id, ...read } = body
      const written = await patch(`/api/dated-rows/${row + 1}`, { ...read, name: 'again' })
      assert.equal(written.status, 200, written.text)
      assert.deepEqual(...differing(await stored(row + 1), before))
    }
  })

  test('keeps a day with a time and other forms of SQLite when a form changes another field', async ({
    assert,
  }) => {
    const name = (type: string) => columnOf(TYPES.findIndex((one) => one.type === type))
    const odd = {
      [name('date')]: '2024-01-05T10:00:00Z',
      [name('datetime')]: '1996-07-04 00:00:00.000',
      [name('time')]: '25:00',
      [name('boolean')]: 'yes',
      [name('double')]: 'many',
      [name('decimal(10,2)')]: '12,5',
    }
    await db.from('typed_rows').where('id', 1).update(odd)
    const before = await stored(1)
    for (const model of ['TypedRow', 'DatedRow']) {
      const { text } = await open(`/admin/${model}/update/1`)
      const { action, values } = formOf(text)
      const saved = await sendForm(action, { ...values, name: model }, { cookie })
      assert.equal(saved.status, 303, JSON.stringify(formOf(saved.text || text).errors))
      assert.deepEqual(...differing(await stored(1), before))
    }
  }).skip(!onSqlite, 'only there a column holds values of any type')

  test('shows what a control of the form can not as a text that is read-only', async ({
    assert,
  }) => {
    for (const row of rowsOf()) {
      const { text } = await open(`/admin/TypedRow/update/${row + 1}`)
      const { tags } = formOf(text)
      for (const [index, { type, kept = [] }] of TYPES.entries()) {
        /* A type that can't be written has no field. */
        if (!tags[columnOf(index)] && type === 'point') continue
        const isOdd = kept.includes(row) || isOddText(specimenOf(index, row)?.[1])
        assert.equal(/ readonly\b/.test(tags[columnOf(index)] ?? ''), isOdd, `${type} ${row}`)
        if (isOdd) assert.match(tags[columnOf(index)], / type="text"/)
      }
    }
  })

  test('takes an array as a list, in the API and in a form', async ({ assert }) => {
    const texts = columnOf(TYPES.findIndex(({ type }) => type === 'text[]'))
    const numbers = columnOf(TYPES.findIndex(({ type }) => type === 'integer[]'))
    for (const [field, value, item] of [
      [texts, 'x', ''],
      [texts, [1], ': an item must be a string'],
      [numbers, [1, 'two'], ': an item must be an integer of at most 64 bits'],
      [numbers, [2 ** 31], ': an item must be between -2147483648 and 2147483647'],
    ] as const) {
      const { status, body } = await post('/api/typed-rows', { name: 'a', [field]: value })
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, field)
      assert.include(body.errors[0].message, `must be a`)
      assert.include(body.errors[0].message, item)
    }
    const { body: made } = await post('/api/typed-rows', {
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
    assert.include(formOf(again.text).values, { [texts]: '["a","b,c","a"]', [numbers]: '[7,null]' })
    await patch(`/api/typed-rows/${made.id}`, { [numbers]: [7, 8] })
    const { events } = await adminSite()
    await events.settle()
    const history = await open(`/admin/TypedRow/history/${made.id}`)
    assert.match(history.text, /3, 5\s*</)
    assert.match(history.text, /7, 8\s*</)
    assert.match(history.text, /&quot;b,c&quot;/)
  }).skip(!onPostgres, 'only there are arrays')

  test('[A18.7] finds arrays that contain an item, and arrays without items', async ({
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
  }).skip(!onPostgres, 'only there are arrays')

  test('[L2.3] filters a list by the items of an array', async ({ assert }) => {
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
  }).skip(!onPostgres, 'only there are arrays')

  test('reverts a change of each value', async ({ assert }) => {
    for (const row of rowsOf()) {
      const before = await stored(row + 1)
      const { events, models } = await adminSite()
      const writable = COLUMNS.filter((_, index) => isWritable(row)(index))
      await models
        .get('TypedRow')!
        .crud.update(row + 1, Object.fromEntries(writable.map((name) => [name, null])))
      await events.settle()
      const event = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
      const undone = await sendForm(`/admin/management/events/${event.id}/undo`, {}, { cookie })
      assert.equal(undone.status, 303, undone.text)
      assert.deepEqual(...differing(await stored(row + 1), before))
    }
  })

  test('shows a record with each value, its list, its history and its duplicate', async ({
    assert,
  }) => {
    const list = await open('/admin/TypedRow/')
    assert.equal(list.status, 200)
    if (!onSqlite) assert.include(list.text, '123,456,789,012,345.12345')
    if (onPostgres) assert.include(list.text, '999,999,999,999,999.99999')
    if (!onSqlite) assert.include(list.text, '12,345,678,901,234,567,890.123456789')
    for (const row of rowsOf()) {
      for (const page of ['view/', 'update/', 'history/', 'create_page?from=']) {
        const { status, text } = await open(`/admin/TypedRow/${page}${row + 1}`)
        assert.equal(status, 200, `${page} ${text.slice(0, 500)}`)
      }
    }
  })

  test('exports each value as the API returns it, and imports it unchanged', async ({ assert }) => {
    const before = await Promise.all(rowsOf().map((row) => stored(row + 1)))
    for (const format of ['csv', 'xlsx', 'ndjson']) {
      const file = await exportedFile('TypedRow', `format=${format}`, cookie)
      if (format === 'csv') {
        const cells = parse(Buffer.from(file), { columns: true, bom: true }) as Row[]
        for (const cell of cells) {
          const { body } = await get(`/api/typed-rows/${cell.id}`)
          const texts = mapped(cell, (text) => String(text).replace(/^'(?=[-=+@])/, ''))
          const isJsonText = (text: unknown) => ['123', '{}'].includes(String(text))
          const expected = mapped(body, (value) => cellOf(isJsonText(value) ? `"${value}"` : value))
          assert.deepEqual(...differing(byType(texts), byType(expected)))
        }
      }
      const { trial } = await importedFile('TypedRow', `rows.${format}`, file, cookie, {
        key: 'id',
      })
      assert.deepEqual(trial!.faults, [], format)
      assert.deepInclude(trial, { changed: 0, unchanged: TYPE_ROWS }, format)
    }
    assert.deepEqual(await Promise.all(rowsOf().map((row) => stored(row + 1))), before)
  })
})

/** The two rows without the values that are equal, so that a failure shows the others alone */
function differing(
  actual: Row,
  expected: Row,
  types: readonly string[] = Object.keys(expected)
): [Row, Row] {
  const names = types.filter(
    (type) => JSON.stringify(actual[type]) !== JSON.stringify(expected[type])
  )
  const those = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name]]))
  return [those(actual), those(expected)]
}

/** True for a value of a type that its control has not, and that can be written */
function isOddText(value: unknown): boolean {
  return typeof value === 'string' && /infinity|BC$|^\d{5}-|^838:|^-01:/.test(value)
}

function mapped(row: Row, change: (value: unknown) => unknown): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)]))
}

/** A plain numeral for a number, without an exponent */
function textOf(value: unknown): string {
  return typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 })
    : String(value)
}

function cellOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
