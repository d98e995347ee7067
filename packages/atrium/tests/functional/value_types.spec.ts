import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { parse } from 'csv-parse/sync'
import { OVER_CONNECTIONS, TypedRow } from '#tests/fixtures/value_types'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { each, onPostgres, onSqlite } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { call, get, patch, post } from '#tests/helpers/http'
import { emptyImportTables } from '#tests/helpers/import_forms'
import { emptyJobTables, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { exportedFile, importedFile } from '#tests/helpers/trips'
import { columnOf, DATED, specimenOf, TYPE_ROWS, TYPES } from '#tests/helpers/type_specimens'
import {
  byType,
  COLUMNS,
  differing,
  fill,
  isWritable,
  rowsOf,
  stored,
  textOf,
  type Row,
} from '#tests/helpers/typed_rows'

for (const { title, prefix, api } of OVER_CONNECTIONS) {
  test.group(`Values of all types over ${title}`, (group) => {
    group.tap((one) => one.tags(['@dialect', '@driver']))
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
      const response = await get(path, { headers: { accept: 'text/html', cookie } })
      return response
    }

    test('[K5.6] each value is read in its documented form, and unchanged when written back', async ({
      assert,
    }) => {
      for (const row of rowsOf()) {
        const path = `/api/${api}typed-rows/${row + 1}`
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

    test('[K5.6] a model with hooks, whose records Lucid reads, returns the same values', async ({
      assert,
    }) => {
      const list = async (path: string) => {
        const { body } = await get(`/api/${api}${path}?sort=id`)
        return body.data.map((row: Row) => byType(row))
      }
      const expected = await list('typed-rows')
      const read = await list('hooked-rows')
      for (const [row, found] of read.entries()) {
        assert.deepEqual(...differing(found, expected[row]))
        const { body } = await get(`/api/${api}hooked-rows/${row + 1}`)
        assert.deepEqual(...differing(byType(body), expected[row]))
      }
    })

    test('every digit of a JSON number is stored, and more decimal places than those of the column are refused', async ({
      assert,
    }) => {
      const name = (type: string) => columnOf(TYPES.findIndex((one) => one.type === type))
      const [long, short] = each({
        sqlite: ['numeric', 'decimal(10,2)'],
        postgres: ['numeric(20,5)', 'numeric(10,2)'],
        mysql: ['decimal(20,5)', 'decimal(10,2)'],
      }).map(name)
      const digits = onSqlite ? '1234567890.12345' : '123456789012345.12345'
      const made = await call('POST', `/api/${api}typed-rows`, {
        body: `{"name": "a", "${long}": ${digits}, "${short}": 10.990}`,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(made.status, 201, made.text)
      assert.equal(String(made.body[long]), digits)
      assert.equal(made.body[short], 10.99)
      for (const value of [10.999, '10.999', '-0.001']) {
        const { status, body } = await post(`/api/${api}typed-rows`, { name: 'a', [short]: value })
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

    test('the values of an item can be sent back to create a copy', async ({ assert }) => {
      for (const row of rowsOf()) {
        const { body } = await get(`/api/${api}typed-rows/${row + 1}`)
        const names = COLUMNS.filter((_, index) => isWritable(row)(index))
        const values = Object.fromEntries(names.map((name) => [name, body[name]]))
        const made = await post(`/api/${api}typed-rows`, { ...values, name: 'copy' })
        assert.equal(made.status, 201, made.text)
        const isCopied = TYPES.filter((_, index) => isWritable(row)(index)).map(({ type }) => type)
        assert.deepEqual(...differing(await stored(made.body.id), await stored(row + 1), isCopied))
      }
    })

    test('[K5.6] a filter finds each value by the text that the API returns', async ({
      assert,
    }) => {
      for (const row of rowsOf()) {
        for (const [index, { type, filters = true }] of TYPES.entries()) {
          const [, value] = specimenOf(index, row) ?? []
          if (!filters || value === undefined || !isWritable(row)(index)) continue
          const query = new URLSearchParams({ [columnOf(index)]: textOf(value) })
          const { body, status } = await get(`/api/${api}typed-rows?${query}`)
          assert.equal(status, 200, `${type} ${value} ${JSON.stringify(body)}`)
          assert.deepEqual(
            body.data.map(({ id }: Row) => id),
            [row + 1],
            `${type} ${value}`
          )
        }
      }
    })

    test('each value stays unchanged when a form changes another field', async ({ assert }) => {
      for (const row of rowsOf()) {
        const before = await stored(row + 1)
        const { text } = await open(`/admin/${prefix}TypedRow/update/${row + 1}`)
        const { action, values } = formOf(text)
        const saved = await sendForm(action, { ...values, name: `changed ${row}` }, { cookie })
        assert.equal(saved.status, 303, formOf(saved.text || text).error)
        const { name } = await TypedRow.findOrFail(row + 1)
        assert.equal(name, `changed ${row}`)
        assert.deepEqual(...differing(await stored(row + 1), before))
      }
    })

    test('dates and datetimes that a model reads by luxon stay unchanged', async ({ assert }) => {
      for (const row of rowsOf()) {
        const before = await stored(row + 1)
        for (const page of ['view/', 'update/', 'history/', 'create_page?from=']) {
          const { status, text } = await open(`/admin/${prefix}DatedRow/${page}${row + 1}`)
          assert.equal(status, 200, `${page} ${text.slice(0, 500)}`)
          assert.notInclude(text, 'Invalid DateTime')
        }
        const { text } = await open(`/admin/${prefix}DatedRow/update/${row + 1}`)
        const { action, values } = formOf(text)
        const saved = await sendForm(action, { ...values, name: `dated ${row}` }, { cookie })
        assert.equal(saved.status, 303, formOf(saved.text || text).error)
        const { body } = await get(`/api/${api}dated-rows/${row + 1}`)
        assert.equal(body.name, `dated ${row}`)
        for (const index of DATED) {
          assert.equal(body[columnOf(index)], specimenOf(index, row)?.[1] ?? null)
        }
        const { id, ...read } = body
        const written = await patch(`/api/${api}dated-rows/${row + 1}`, { ...read, name: 'again' })
        assert.equal(written.status, 200, written.text)
        assert.deepEqual(...differing(await stored(row + 1), before))
      }
    })

    test('values in formats that only SQLite accepts are unchanged when a form changes another field', async ({
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
      for (const model of [`${prefix}TypedRow`, `${prefix}DatedRow`]) {
        const { text } = await open(`/admin/${model}/update/1`)
        const { action, values } = formOf(text)
        const saved = await sendForm(action, { ...values, name: model }, { cookie })
        assert.equal(saved.status, 303, JSON.stringify(formOf(saved.text || text).errors))
        assert.deepEqual(...differing(await stored(1), before))
      }
    }).skip(!onSqlite, 'only there a column holds values of any type')

    test('a value that the form’s input can’t show is read-only text', async ({ assert }) => {
      for (const row of rowsOf()) {
        const { text } = await open(`/admin/${prefix}TypedRow/update/${row + 1}`)
        const { tags } = formOf(text)
        for (const [index, { type, kept: saved = [] }] of TYPES.entries()) {
          /* A type that can't be written has no field. */
          if (!tags[columnOf(index)] && type === 'point') continue
          const isOdd = saved.includes(row) || isOddText(specimenOf(index, row)?.[1])
          assert.equal(/ readonly\b/.test(tags[columnOf(index)] ?? ''), isOdd, `${type} ${row}`)
          if (isOdd) assert.match(tags[columnOf(index)], / type="text"/)
        }
      }
    })

    test('[K5.6] an update that set each value to null can be undone', async ({ assert }) => {
      for (const row of rowsOf()) {
        const before = await stored(row + 1)
        const { events, models } = await adminSite()
        const writable = COLUMNS.filter((_, index) => isWritable(row)(index))
        await models
          .get(`${prefix}TypedRow`)!
          .crud.update(row + 1, Object.fromEntries(writable.map((name) => [name, null])))
        await events.settle()
        const event = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
        const undone = await sendForm(`/admin/management/events/${event.id}/undo`, {}, { cookie })
        assert.equal(undone.status, 303, undone.text)
        assert.deepEqual(...differing(await stored(row + 1), before))
      }
    })

    test('a record with each value can be opened in the list, page, history and duplicate form', async ({
      assert,
    }) => {
      const list = await open(`/admin/${prefix}TypedRow/`)
      assert.equal(list.status, 200)
      if (!onSqlite) assert.include(list.text, '123,456,789,012,345.12345')
      if (onPostgres) assert.include(list.text, '999,999,999,999,999.99999')
      if (!onSqlite) assert.include(list.text, '12,345,678,901,234,567,890.123456789')
      for (const row of rowsOf()) {
        for (const page of ['view/', 'update/', 'history/', 'create_page?from=']) {
          const { status, text } = await open(`/admin/${prefix}TypedRow/${page}${row + 1}`)
          assert.equal(status, 200, `${page} ${text.slice(0, 500)}`)
        }
      }
    })

    test('[K5.6] each value is exported as the API returns it, and imported unchanged', async ({
      assert,
    }) => {
      const before = await Promise.all(rowsOf().map((row) => stored(row + 1)))
      for (const format of ['csv', 'xlsx', 'ndjson']) {
        const file = await exportedFile(`${prefix}TypedRow`, `format=${format}`, cookie)
        if (format === 'csv') {
          const cells = parse(Buffer.from(file), { columns: true, bom: true }) as Row[]
          for (const cell of cells) {
            const { body } = await get(`/api/${api}typed-rows/${cell.id}`)
            const texts = mapped(cell, (text) => String(text).replace(/^'(?=[-=+@])/, ''))
            const isJsonText = (text: unknown) => ['123', '{}'].includes(String(text))
            const expected = mapped(body, (value) =>
              cellOf(isJsonText(value) ? `"${value}"` : value)
            )
            assert.deepEqual(...differing(byType(texts), byType(expected)))
          }
        }
        const { dryRun } = await importedFile(`${prefix}TypedRow`, `rows.${format}`, file, cookie, {
          key: 'id',
        })
        assert.deepEqual(dryRun!.faults, [], format)
        assert.deepInclude(dryRun, { changed: 0, unchanged: TYPE_ROWS }, format)
      }
      assert.deepEqual(await Promise.all(rowsOf().map((row) => stored(row + 1))), before)
    })
  })
}

/** True for a value of a type that its control has not, and that can be written */
function isOddText(value: unknown): boolean {
  return typeof value === 'string' && /infinity|BC$|^\d{5}-|^838:|^-01:/.test(value)
}

function mapped(row: Row, change: (value: unknown) => unknown): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)]))
}

function cellOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
