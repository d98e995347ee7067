import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { LucidCrud, Problem } from '#crud'
import { errorToProblem } from '#crud/operations/writes/error_to_problem'
import { Counter } from '#tests/fixtures/crud'
import { Seat } from '#tests/fixtures/keys'
import { Sample } from '#tests/fixtures/samples'
import { Lender, Reel } from '#tests/fixtures/shop'

/** The problem that the call throws. */
async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const outcome = await call.catch((error) => error)
  if (!(outcome instanceof Problem)) throw outcome
  return outcome
}

function rulesOf(problem: Problem) {
  return problem.errors!.map(({ field, rule }) => [field, rule])
}

test.group('errorToProblem()', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const samples = new LucidCrud(Sample)
  const reels = new LucidCrud(Reel)
  const lenders = new LucidCrud(Lender)

  group.each.setup(async () => {
    await db.from('samples').delete()
    await db.from('reels').delete()
    await db.from('lenders').delete()
  })

  test('[A8] a duplicate is a 409 that names value and field', async ({ assert }) => {
    const { id } = await samples.create({ name: 'two', code: 'X-2' })
    await samples.create({ name: 'one', code: 'X-1' })
    const writes = [
      samples.create({ name: 'three', code: 'X-1' }),
      samples.update(id, { code: 'X-1' }),
    ]
    for (const outcome of await Promise.all(writes.map(problemOf))) {
      assert.equal(outcome.status, 409)
      assert.equal(outcome.message, 'Value X-1 is already registered')
      assert.deepEqual(rulesOf(outcome), [['code', 'unique']])
    }
  })

  test('[A8] a duplicate of several columns names them all', async ({ assert }) => {
    await db.from('seats').delete()
    const seats = new LucidCrud(Seat)
    await seats.create({ hall: 1, place: 'a', label: 'x' })
    const problem = await problemOf(seats.create({ hall: 1, place: 'a', label: 'y' }))
    assert.equal(problem.message, 'Value 1, a is already registered')
    assert.deepEqual(rulesOf(problem), [
      ['hall', 'unique'],
      ['place', 'unique'],
    ])
  })

  test('[A8] the error of a duplicate does not contain the value of a hidden column', async ({
    assert,
  }) => {
    await samples.create({ name: 'one', secret: 'hush' })
    const problem = await problemOf(samples.create({ name: 'two', secret: 'hush' }))
    assert.equal(problem.status, 409)
    assert.deepEqual(rulesOf(problem), [['secret', 'unique']])
    assert.notInclude(JSON.stringify(problem), 'hush')
  })

  test('[A8] null and values that fail a check are 422 and name the field', async ({ assert }) => {
    const withoutName = await problemOf(samples.create({ code: 'X' }))
    assert.equal(withoutName.status, 422)
    assert.deepEqual(rulesOf(withoutName), [['name', 'not_null']])
    const badStatus = await problemOf(samples.create({ name: 'one', status: 'lost' }))
    assert.equal(badStatus.status, 422)
    assert.deepEqual(rulesOf(badStatus), [['status', 'check']])
  })

  test('[A8] a broken foreign key is a 409 that names the field', async ({ assert }) => {
    const { id } = await reels.create({ title: 'x' })
    const writes = [reels.create({ title: 'y', lenderId: 0 }), reels.update(id, { lenderId: 0 })]
    for (const problem of await Promise.all(writes.map(problemOf))) {
      assert.equal(problem.status, 409)
      assert.deepEqual(rulesOf(problem), [['lender_id', 'foreign_key']])
    }
  })

  test('[A8] deleting a referenced record is a 409', async ({ assert }) => {
    const { id } = await lenders.create({ name: 'one' })
    await reels.create({ title: 'x', lenderId: id })
    const problem = await problemOf(lenders.delete(id))
    assert.equal(problem.status, 409)
    assert.equal(problem.message, 'Other items still refer to this one')
    assert.isTrue(await lenders.exists({ name: 'one' }))
  })

  test('[A29] database errors without a known cause stay internal errors', async ({ assert }) => {
    const { resource } = samples
    await resource.load()
    for (const code of ['SQLITE_BUSY', 'SQLITE_ERROR', 'SQLITE_FULL', undefined]) {
      const error = Object.assign(new Error(`${code}: oops`), { code })
      const about = { values: {} } as any
      assert.isUndefined(await errorToProblem(error, resource, about, db.connection()))
    }
  })

  test('[A4] no problem contains SQL or names of tables', async ({ assert }) => {
    await samples.create({ name: 'one', code: 'X-1' })
    const problem = await problemOf(samples.create({ name: 'one', code: 'X-1' }))
    assert.notMatch(JSON.stringify(problem), /samples|insert|SQLITE|constraint failed/)
  })
})

test.group('errorToProblem and the writes of hooks', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('crud_counters').delete()
    await db.from('countries').delete()
    await db.table('countries').insert({ code: 'DE', name: 'taken' })
  })

  /** Writes to a table with a column of the same name. */
  class Noting extends BaseModel {
    static table = 'crud_counters'

    @column({ isPrimary: true })
    declare id: number

    @column()
    declare name: string
  }
  Noting.boot()
  Noting.after('create', async (record) => {
    await record.$trx!.table('countries').insert({ code: 'FR', name: 'taken' })
  })

  test("[A29] a hook's constraint violation in another table is not attributed to the caller", async ({
    assert,
  }) => {
    const error = await new LucidCrud(Noting).create({ name: 'one' }).catch((invalid) => invalid)
    assert.notInstanceOf(error, Problem)
    assert.match(error.message, /UNIQUE constraint failed: countries\.name|countries_name_unique/)
    assert.isEmpty(await db.from('crud_counters'))
  })

  test("[A8] a constraint violation by the caller's own values is a problem that names the value", async ({
    assert,
  }) => {
    const counters = new LucidCrud(Counter)
    await counters.create({ name: 'one' })
    const problem = await problemOf(counters.create({ name: 'one' }))
    assert.equal(problem.message, 'Value one is already registered')
  })
})
