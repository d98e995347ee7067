import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud } from '#crud'
import { readCondition } from '#base/columns/condition'
import { completeForms } from '#crud/operations/complete_forms'
import { ListRequest } from '#crud/request/list_request'
import { onSqlite } from '#tests/helpers/databases'

const TABLE = 'odd_rows'

type Stored = string | number | null

interface Kind {
  types: string[]
  decorate: () => any
  usual: Stored[]
  odd: Stored[]
  /** The value in the usual form, undefined for one that means none */
  read: (stored: string | number) => string | number | undefined
  operators: string[]
}

const ORDERED = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte']

const INVALID = ['2024-13-45', '2024-02-30', '2024-00-10', '5.1.2024', 'abc', '', 'now', '-', '~']

const KINDS: Record<string, Kind> = {
  date: {
    types: ['date', 'text', 'varchar(20)', 'datetime', 'integer'],
    decorate: () => column.date(),
    usual: ['1969-07-20', '2024-01-05', '2024-01-06', '2024-02-29', '2024-12-31'],
    odd: ['2024-01-05T10:00:00Z', '2024-01-06 00:00:00.000', 1704412800000, 836784000, ...INVALID],
    operators: ORDERED,
    read: (stored) =>
      typeof stored === 'number' ? epoch(stored).slice(0, 10) : dayOf(stored.slice(0, 10)),
  },
  datetime: {
    types: ['datetime', 'text', 'timestamp', 'date'],
    decorate: () => column.dateTime(),
    usual: ['1969-07-20 20:17:40', '2024-01-05 00:00:00', '2024-01-05 23:59:59'],
    odd: [
      '2024-01-05T10:00:00Z',
      '2024-01-05 23:30:00-01:00',
      '2024-01-06',
      1704412800000,
      836784000,
      '2024-02-30 00:00:00',
      '2024-01-05 25:00:00',
      ...INVALID,
    ],
    operators: ORDERED,
    read: (stored) => {
      if (typeof stored === 'number') return epoch(stored)
      if (!dayOf(stored.slice(0, 10))) return undefined
      const [day, time = '00:00:00'] = stored.split(/[T ]/)
      const at = new Date(`${day}T${/[Z-]/.test(time) ? time : `${time}Z`}`)
      return Number.isNaN(at.getTime()) ? undefined : inUtc(at.getTime())
    },
  },
  time: {
    types: ['time', 'text'],
    decorate: () => column(),
    usual: ['00:00:00', '08:30:00', '23:59:59'],
    odd: ['08:30', '25:00:00', 'abc', '', 12],
    operators: ORDERED,
    read: (stored) => {
      const [, time] = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::[0-5]\d)?$/.exec(String(stored)) ?? []
      return time && String(stored).padEnd(8, ':00')
    },
  },
  number: {
    types: ['decimal(10,2)', 'double', 'integer', 'text'],
    decorate: () => column({ meta: { kind: 'number' } }),
    usual: [-5, 0, 3, 12.5, 1000],
    odd: ['abc', '12,5', '', '~', '-', '2024-01-05'],
    operators: ORDERED,
    read: (stored) =>
      stored !== '' && Number.isFinite(Number(stored)) ? Number(stored) : undefined,
  },
  boolean: {
    types: ['boolean', 'integer', 'text'],
    decorate: () => column({ meta: { kind: 'boolean' } }),
    usual: [0, 1],
    odd: [2, 'yes', 't', 'No', 'off', 'maybe', ''],
    operators: ['eq', 'ne'],
    read: (stored) => {
      if (typeof stored === 'number') return Number(stored !== 0)
      const text = stored.toLowerCase()
      if (['1', 'yes', 't'].includes(text)) return 1
      return ['0', 'no', 'off'].includes(text) ? 0 : undefined
    },
  },
}

function epoch(stored: number): string {
  return inUtc(Math.abs(stored) < 1e11 ? stored * 1000 : stored)
}

function inUtc(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
}

function dayOf(text: string): string | undefined {
  const at = new Date(`${text}T00:00:00Z`)
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text
  return isDay ? text : undefined
}

/** What a comparison finds, worked out slowly: by size only what means a value of the kind. */
function finds({ read }: Kind, operator: string, stored: Stored, value: string | number): boolean {
  if (stored === null) return false
  const meant = read(stored)
  if (operator === 'ne') return meant !== value
  if (meant === undefined) return false
  const tests: Record<string, boolean> = {
    eq: meant === value,
    gt: meant > value,
    gte: meant >= value,
    lt: meant < value,
    lte: meant <= value,
  }
  return tests[operator]
}

async function createTable(type: string, { isIndexed = false } = {}) {
  await db.rawQuery(`drop table if exists ${TABLE}`)
  await db.rawQuery(`create table ${TABLE} (id integer primary key, value ${type})`)
  if (isIndexed) await db.rawQuery(`create index odd_rows_value on ${TABLE} (value)`)
}

async function insert(values: Stored[]) {
  for (const value of values) {
    await db.rawQuery(`insert into ${TABLE} (value) values (${value === null ? 'null' : '?'})`, [
      ...(value === null ? [] : [value]),
    ])
  }
}

async function load({ decorate }: Kind) {
  class Odd extends BaseModel {
    static table = TABLE
    declare id: number
    declare value: unknown
  }
  column({ isPrimary: true })(Odd.prototype, 'id')
  decorate()(Odd.prototype, 'value')
  const crud = new LucidCrud(Odd)
  await crud.resource.load()
  const value = crud.resource.columns.find('value')!
  const find = async (operator: string, text: string) => {
    const paging = { shape: 'offset', offset: 0, limit: 100 } as const
    const condition = readCondition(value, operator as any, text)
    const request = new ListRequest([condition], [], paging, 'exclude', { count: false })
    const { data } = await crud.getMulti(request)
    return data.map(({ id }) => id as number)
  }
  return { crud, resource: crud.resource, value, find }
}

/** The rows of the table, as SQLite stores them. */
async function rows(): Promise<Array<{ id: number; value: Stored }>> {
  return await db.rawQuery(`select id, value from ${TABLE} order by id`)
}

function asText(name: string, value: string | number): string {
  return name === 'boolean' ? String(value === 1) : String(value)
}

const random = fc.constantFrom(...Object.keys(KINDS)).chain((name) => {
  const kind = KINDS[name]
  return fc.record({
    name: fc.constant(name),
    type: fc.constantFrom(...kind.types),
    isIndexed: fc.boolean(),
    usual: fc.array(fc.constantFrom(...kind.usual, null), { maxLength: 4 }),
    odd: fc.array(fc.constantFrom(...kind.odd, ...kind.usual, null), {
      minLength: 1,
      maxLength: 8,
    }),
    operator: fc.constantFrom(...kind.operators),
    value: fc.constantFrom(...kind.usual) as fc.Arbitrary<string | number>,
  })
})

test.group('SQLite | rows in unusual formats', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'other databases store one form'))
  group.each.teardown(async () => {
    await db.rawQuery(`drop table if exists ${TABLE}`)
  })

  test('[A20.9, A20.10] a search finds the same rows as a comparison of each value in JavaScript', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(random, async ({ name, type, isIndexed, usual, odd, operator, value }) => {
        /* A column named only by its declared type */
        fc.pre(name !== 'time' || type === 'time')
        await createTable(type, { isIndexed })
        await insert([...usual, ...odd])
        const { find } = await load(KINDS[name])
        const all = await rows()
        const right = all.filter((row) => finds(KINDS[name], operator, row.value, value))
        const found = await find(operator, asText(name, value))
        assert.deepEqual(
          found,
          right.map(({ id }) => id)
        )
      }),
      { numRuns: 200 }
    )
  }).timeout(60_000)

  test('[A20.10] a comparison by < or > does not find invalid values that were added later', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(random, async ({ name, type, isIndexed, usual, odd, operator, value }) => {
        const kind = KINDS[name]
        fc.pre(operator !== 'ne' && (name !== 'time' || type === 'time'))
        await createTable(type, { isIndexed })
        await insert(usual)
        const { find } = await load(kind)
        await insert(odd)
        const all = await rows()
        const found = await find(operator, asText(name, value))
        const right = all.filter((row) => finds(kind, operator, row.value, value))
        assert.includeMembers(
          right.map(({ id }) => id),
          found
        )
        const inUsualForm = right.filter((row) => kind.read(row.value!) === row.value)
        assert.includeMembers(
          found,
          inUsualForm.map(({ id }) => id)
        )
      }),
      { numRuns: 200 }
    )
  }).timeout(60_000)

  test('[A20.8] an unusual value between the sampled rows is found once the background check has read all rows', async ({
    assert,
  }) => {
    await createTable('text', { isIndexed: true })
    await db.rawQuery(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
      insert into ${TABLE} select i, iif(i = 5555, '2024-01-05T10:00:00Z', '2023-01-05') from n`)
    const { find, resource, value } = await load(KINDS.date)
    assert.isFalse(value.hasOtherForms)
    assert.deepEqual(await find('eq', '2024-01-05'), [])
    await completeForms([resource], () => false)
    assert.isTrue(value.hasOtherForms)
    assert.deepEqual(await find('gte', '2024-01-05'), [5555])
    assert.deepEqual(await find('eq', '2024-01-05'), [5555])
  })

  test('[A20.8] after all rows of a large column were read, only new values are checked', async ({
    assert,
  }) => {
    await createTable('text', { isIndexed: true })
    const rowsOf = (from: number, to: number, day: string) =>
      db.rawQuery(`with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
        insert into ${TABLE} select i, '${day}' from n`)
    await rowsOf(1, 12_000, '2023-01-05')
    const clean = await load(KINDS.date)
    await completeForms([clean.resource], () => false)
    assert.isTrue(clean.value.forms!.isUsual)

    await db.rawQuery(`update ${TABLE} set value = '2024-13-45' where id = 5555`)
    const strange = await load(KINDS.date)
    await completeForms([strange.resource], () => false)
    assert.isFalse(strange.value.forms!.isUsual)
    assert.isFalse(strange.value.hasOtherForms)
    assert.deepEqual(await strange.find('gte', '2024-01-01'), [])
  })
  test('[A20.9] unusual values that were added later are shown by their meaning', async ({
    assert,
  }) => {
    const shown = async (name: string, type: string, odd: Stored[]) => {
      await createTable(type)
      const { crud } = await load(KINDS[name])
      await crud.get(1)
      await insert(odd)
      const ids = odd.map((_, index) => index + 1)
      return await Promise.all(ids.map((id) => crud.get(id).then((item) => item!.value)))
    }
    assert.deepEqual(await shown('datetime', 'datetime', [836784000, 1704412800000]), [
      '1996-07-08 00:00:00',
      '2024-01-05 00:00:00',
    ])
    assert.deepEqual(await shown('date', 'date', [836784000]), ['1996-07-08'])
    assert.deepEqual(await shown('boolean', 'boolean', ['yes', 'No', 'maybe']), [
      true,
      false,
      'maybe',
    ])
  })
})
