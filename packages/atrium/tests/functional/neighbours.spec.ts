import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud, type Actor } from '#crud'
import { ListRequest, neighbours, Records } from '#crud/internals'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { KeyValue } from '#base/columns/key'
import { Patient } from '#tests/fixtures/authorized_records'
import { Seat } from '#tests/fixtures/keys'
import { Letter, Specimen } from '#tests/fixtures/lists'
import { its } from '#tests/helpers/its'
import { passes, sorted, type Order, type Rule } from '#tests/helpers/memory_list'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

type Row = Record<string, any>

interface List {
  filters?: Record<string, unknown>
  sort?: string
  deleted?: DeletedMode
}

const PAGING = { itemsPerPage: 10, limit: 100, maxLimit: 1000 } as any

async function neighboursOf(
  crud: LucidCrud,
  key: KeyValue,
  list: List = {},
  actor: Actor = { kind: 'system' } as Actor
) {
  const { resource } = crud
  await resource.load()
  const request = ListRequest.fromCode(resource, list, PAGING)
  const records = new Records(resource)
  const side = async (direction: 'before' | 'after') => {
    const batches = neighbours(records, request, key, direction, { actor })
    const read = await Array.fromAsync(batches)
    return read.flat()
  }
  return { before: await side('before'), after: await side('after') }
}

const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 })
const specimen = fc.record({
  label: nullable(fc.constantFrom('a', 'A', 'ä', 'b', '', '😀')),
  amount: nullable(fc.constantFrom(-1, 0, '9007199254740993', '9007199254740992')),
  weight: nullable(fc.constantFrom(0.25, 123456789.125)),
  fresh: nullable(fc.boolean()),
  day: nullable(fc.constantFrom('1999-12-31', '2000-01-01')),
  moment: nullable(fc.constantFrom('1999-12-31 23:59:59', '2000-01-01 00:00:00.250')),
  clock: nullable(fc.constantFrom('09:59:00', '10:00:00')),
})
const specimens = fc.array(specimen, { minLength: 1, maxLength: 25 })
const ordersOf = (...names: string[]): fc.Arbitrary<Order[]> =>
  fc.array(fc.tuple(fc.constantFrom(...names), fc.boolean()), { maxLength: 3 })
const sortOf = (order: Order[]) => order.map(([name, down]) => (down ? '-' : '') + name).join(',')

async function store(rows: Row[]) {
  await db.from('specimens').delete()
  await db.table('specimens').multiInsert(rows)
}

test.group('Neighbours in a list', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    const clear = async () => {
      for (const table of ['specimens', 'letters', 'seats']) await db.from(table).delete()
    }
    await clear()
    return clear
  })

  const crud = new LucidCrud(Specimen)
  const idsOf = (keys: KeyValue[]) => keys.map(([id]) => Number(id))

  test('[L11, A14] following the next neighbour from record to record returns the whole list, for every sort', async ({
    assert,
  }) => {
    const orders = ordersOf('label', 'amount', 'weight', 'fresh', 'day', 'moment', 'clock', 'id')
    await fc.assert(
      fc.asyncProperty(specimens, orders, fc.nat(), async (rows, order, drawn) => {
        await store(rows)
        const sort = sortOf(order)
        const { data } = await crud.getMulti({ limit: 1000, sort: sort || undefined })
        const ids = data.map(({ id }) => Number(id))
        const place = drawn % ids.length
        const { before, after } = await neighboursOf(crud, [ids[place]], { sort })
        assert.deepEqual(idsOf(before).reverse(), ids.slice(0, place))
        assert.deepEqual(idsOf(after), ids.slice(place + 1))
      }),
      { numRuns: runs(120) }
    )
  }).timeout(120_000)

  test('[L11] a record that the filters exclude has the neighbours of its position', async ({
    assert,
  }) => {
    const rule: fc.Arbitrary<Rule> = fc.oneof(
      fc.record({
        column: fc.constant('fresh'),
        operator: fc.constantFrom('eq', 'ne'),
        operand: fc.boolean(),
      }),
      fc.record({
        column: fc.constant('label'),
        operator: fc.constantFrom('startswith', 'ne'),
        operand: fc.constantFrom('a', 'b'),
      })
    )
    const orders = ordersOf('label', 'fresh', 'day', 'clock', 'id')
    await fc.assert(
      fc.asyncProperty(specimens, orders, rule, fc.nat(), async (rows, order, filter, drawn) => {
        await store(rows)
        const { data } = await crud.getMulti({ limit: 1000 })
        const all = sorted(data, order)
        const place = drawn % all.length
        const { before, after } = await neighboursOf(crud, [all[place].id as number], {
          sort: sortOf(order),
          filters: { [`${filter.column}__${filter.operator}`]: filter.operand },
        })
        const listed = (some: Row[]) =>
          some.filter((row) => passes(row, filter)).map(({ id }) => id)
        assert.deepEqual(idsOf(before).reverse(), listed(all.slice(0, place)))
        assert.deepEqual(idsOf(after), listed(all.slice(place + 1)))
      }),
      { numRuns: runs(80) }
    )
  }).timeout(120_000)

  test('[L11, A9] records with composite keys have the correct neighbours', async ({ assert }) => {
    const places = [
      [1, 'a'],
      [1, 'b'],
      [2, 'a'],
      [2, 'ä'],
      [3, 'A'],
    ]
    await db
      .table('seats')
      .multiInsert(places.map(([hall, place]) => ({ hall, place, label: 'same' })))
    const seats = new LucidCrud(Seat)
    const { before, after } = await neighboursOf(seats, [2, 'a'], { sort: 'label,-hall' })
    assert.deepEqual(before, [[3, 'A']])
    assert.deepEqual(after, [
      [2, 'ä'],
      [1, 'a'],
      [1, 'b'],
    ])
  })

  test('[L11, A22] deleted records are neighbours if the list shows deleted records', async ({
    assert,
  }) => {
    const gone = '2026-01-01 00:00:00'
    await db.table('letters').multiInsert([
      { title: 'a', deleted_at: null },
      { title: 'b', deleted_at: gone },
      { title: 'c', deleted_at: null },
      { title: 'd', deleted_at: gone },
      { title: 'e', deleted_at: null },
    ])
    const letters = new LucidCrud(Letter)
    const all = await Letter.query().orderBy('title')
    const titles = (keys: KeyValue[]) =>
      keys.map(([id]) => all.find((one) => one.id === Number(id))!.title)
    const around = async (mode: DeletedMode) => {
      const { before, after } = await neighboursOf(letters, [all[2].id], {
        sort: '-title',
        deleted: mode,
      })
      return [titles(before), titles(after)]
    }
    assert.deepEqual(await around('exclude'), [['e'], ['a']])
    assert.deepEqual(await around('include'), [
      ['d', 'e'],
      ['b', 'a'],
    ])
    assert.deepEqual(await around('only'), [['d'], ['b']])
  })

  test('[L11] a missing record has no neighbours', async ({ assert }) => {
    await store([{ label: 'a' }, { label: 'b' }])
    assert.deepEqual(await neighboursOf(crud, [999_999]), { before: [], after: [] })
  })

  test('[L11] the next few records are read with one query, however long the list is', async ({
    assert,
  }) => {
    await store(Array.from({ length: 150 }, (_, index) => ({ amount: index })))
    const [{ id }] = await its(crud.getMulti({ filters: { amount: 70 } }), 'data')
    const request = ListRequest.fromCode(crud.resource, { sort: 'amount' }, PAGING)
    const batches = neighbours(new Records(crud.resource), request, [id], 'after', {
      actor: { kind: 'system' } as Actor,
    })
    let first: KeyValue[] = []
    const statements = await queriesOf(
      async () => void (first = await its(batches.next(), 'value'))
    )
    assert.isAbove(first.length, 0)
    assert.lengthOf(statements, 2)
    assert.match(statements[1], / limit /)
    await batches.return(undefined)
  })
})

test.group('Neighbours in a list with a policy for each record', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await Patient.query().delete()
    return async () => void (await Patient.query().delete())
  })

  test('[L11, P14] records that the policy refuses are not neighbours', async ({ assert }) => {
    const made = await Patient.createMany(
      Array.from({ length: 60 }, (_, index) => ({
        name: `${Math.floor(index / 2)}`.padStart(2, '0'),
        confidential: index % 3 === 1 || (index > 30 && index < 50),
      })) as any
    )
    const patients = new LucidCrud(Patient)
    const user = { kind: 'none' } as Actor
    const order = sorted(
      made.map(({ id, name, confidential }) => ({ id, name, confidential })),
      [['name', true]]
    )
    const place = order.findIndex(({ id }) => id === made[30].id)
    const seen = (some: Row[]) =>
      some.filter(({ confidential }) => !confidential).map(({ id }) => id)
    const { before, after } = await neighboursOf(patients, [made[30].id], { sort: '-name' }, user)
    assert.deepEqual(before.map(([id]) => id).reverse(), seen(order.slice(0, place)))
    assert.deepEqual(
      after.map(([id]) => id),
      seen(order.slice(place + 1))
    )
  })
})
