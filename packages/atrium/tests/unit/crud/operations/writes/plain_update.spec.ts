import { test } from '@japa/runner'
import { BaseModel, beforeUpdate, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud } from '#crud'
import { omit } from '#crud/operations/writes/written_fields'
import { strange } from '#tests/helpers/actors'
import { onMysql, onPostgres } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

/** A model without endpoints and admin site, whose writes have no observer. */
class Bare extends BaseModel {
  static table = 'samples'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare longText: string | null

  @column()
  declare count: number | null

  @column()
  declare ratio: number | null

  @column()
  declare active: boolean | null

  @column.dateTime()
  declare moment: DateTime | null

  @column()
  declare code: string | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}

class Hooked extends Bare {
  static table = 'samples'

  @beforeUpdate()
  static shout(record: Hooked) {
    record.name = record.name.toUpperCase()
  }
}

const actor = strange({ kind: 'admin', user: { id: 1 } })
const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !one.includes('\0'))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const values = fc.record(
  {
    id: fc.constant(4711),
    name: text,
    longText: maybe(text),
    count: maybe(fc.integer()),
    ratio: maybe(fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8)),
    active: maybe(fc.boolean()),
    moment: maybe(fc.constant(DateTime.fromISO('2026-02-03T04:05:06Z', { zone: 'utc' }))),
  },
  { requiredKeys: [] }
)

async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const queries = await queriesOf(work)
  return queries.map((sql) => sql.split(' ')[0].replace(';', '').toLowerCase())
}

test.group('Writes without observers', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(async () => {
    if (onPostgres) await db.rawQuery('alter table samples disable trigger user')
    return async () => {
      if (onPostgres) await db.rawQuery('alter table samples enable trigger user')
    }
  })
  group.each.setup(async () => void (await db.from('samples').delete()))
  const bare = new LucidCrud(Bare)

  test('[P8, A23] an update by a statement stores and returns the same as save(), with and without a transaction', async ({
    assert,
  }) => {
    const own = ({ id: _id, updated_at: updated, created_at: _created, ...rest }: any) => ({
      ...rest,
      isUpdated: updated !== null,
    })
    const property = fc.asyncProperty(values, values, async (first, second) => {
      const created = omit({ name: 'same', ...first }, ['id'])
      const byRecord = { actor, related: new Map() }
      const one = await bare.create(created, { actor })
      const other = await db.transaction((client) => bare.create(created, { actor, client }))
      const saved = await bare.create(created, byRecord)
      assert.deepEqual([own(one), own(other)], [own(saved), own(saved)])
      const alone = await bare.update(one.id, second, { actor, returning: true })
      const within = await db.transaction((client) =>
        bare.update(other.id, second, { actor, client, returning: true })
      )
      const resaved = await bare.update(saved.id, second, { ...byRecord, returning: true })
      assert.deepEqual([own(alone), own(within)], [own(resaved), own(resaved)])
      const ids = [one.id, other.id, saved.id] as number[]
      const rows = await db.from('samples').whereIn('id', ids)
      assert.deepEqual([own(rows[0]), own(rows[1])], [own(rows[2]), own(rows[2])])
    })
    await fc.assert(property, { numRuns: runs(20) })
  })

  test('[P8] a create and an update each run a single statement', async ({ assert }) => {
    const { id } = await bare.create({ name: 'a' })
    assert.deepEqual(await statementsOf(() => bare.create({ name: 'b' })), ['insert'])
    assert.deepEqual(await statementsOf(() => bare.update(id, { name: 'c' })), ['update'])
    assert.deepInclude(
      await db
        .from('samples')
        .where('id', id as number)
        .first(),
      { name: 'c' }
    )
  }).skip(onMysql, 'MariaDB does not return updated rows')

  test('[P8] an update with a precondition, a hook or a date first reads the row in a transaction', async ({
    assert,
  }) => {
    const { id } = await bare.create({ name: 'a' })
    const precondition = (record: any) => assert.equal(record.name, 'a')
    const guarded = await statementsOf(() => bare.update(id, { name: 'a' }, { precondition }))
    assert.include(guarded, 'select')

    const hooked = new LucidCrud(Hooked)
    await hooked.update(id, { name: 'b' })
    assert.deepInclude(await bare.get(id), { name: 'B' })

    const moment = DateTime.fromISO('2026-02-03T04:05:06Z')
    assert.include(await statementsOf(() => bare.update(id, { moment })), 'select')
  })

  test('[A8] an update of a missing item is a 404, and a conflict is a 409 with the value', async ({
    assert,
  }) => {
    const failed = async (work: Promise<unknown>): Promise<any> => {
      return await work.then(
        () => undefined,
        (error) => error
      )
    }
    const { id } = await bare.create({ name: 'a', code: 'one' })
    await bare.create({ name: 'b', code: 'two' })

    const missing = await failed(bare.update(0, { name: 'c' }))
    assert.equal(missing.status, 404)
    const taken = await failed(bare.update(id, { code: 'two' }))
    const within = await failed(
      db.transaction((client) => bare.update(id, { code: 'two' }, { client }))
    )
    assert.equal(taken.status, 409)
    assert.deepEqual({ ...taken }, { ...within })
    assert.equal(taken.message, within.message)
    const created = await failed(bare.create({ name: 'c', code: 'two' }))
    assert.equal(created.status, 409)
    const empty = await failed(bare.update(id, { name: null }))
    assert.equal(empty.status, 422)
    assert.deepInclude(await bare.get(id), { name: 'a', code: 'one' })
  })
})
