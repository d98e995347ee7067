import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud } from '#crud'
import { Resource } from '#crud/resource/resource'
import { toApi } from '#base/values/to_api'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { Sample } from '#tests/fixtures/samples'
import { runs } from '#tests/helpers/random_runs'

const moment = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => DateTime.fromSeconds(seconds, { zone: 'utc' }))

/* Values of the model's attributes, by attribute */
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  id: fc.integer(),
  name: fc.string({ unit: ANY_CHARACTER }),
  longText: fc.option(fc.string()),
  count: fc.option(fc.integer()),
  big: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
  ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  active: fc.option(fc.boolean()),
  day: fc.option(moment),
  moment: fc.option(moment),
  plainMoment: fc.option(moment.map((one) => one.toFormat('yyyy-MM-dd HH:mm:ss'))),
  clock: fc.option(fc.constantFrom('10:00:00', '11:30:00')),
  data: fc.option(fc.json()),
  bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  token: fc.option(fc.uuid()),
  status: fc.constantFrom('draft', 'sent', 'paid'),
  code: fc.option(fc.string()),
  secret: fc.option(fc.string()),
  createdAt: moment,
  updatedAt: fc.option(moment),
}

test.group('Version of a record', (group) => {
  const resource = new Resource({ model: Sample })
  group.setup(() => resource.load())

  const version = (values: Record<string, unknown>) => resource.columns.versionOf(values as any)
  const record = fc.record(VALUES)

  test('[B25] records with equal values have the same version', ({ assert }) => {
    fc.assert(
      fc.property(record, (values) => {
        assert.equal(version({ ...values }), version(values))
        assert.match(version(values), /^[\w-]{22}$/)
      })
    )
  })

  test('[B25] a change of any visible value changes the version', ({ assert }) => {
    const visible = resource.columns.visible.map(({ attribute }) => attribute)
    assert.sameMembers([...visible, 'secret'], Object.keys(VALUES))
    const change = fc
      .constantFrom(...visible)
      .chain((attribute) =>
        fc.record({ values: record, attribute: fc.constant(attribute), value: VALUES[attribute] })
      )
    fc.assert(
      fc.property(change, ({ values, attribute, value }) => {
        const column = resource.columns.find(attribute)!
        const apiText = (one: unknown) => JSON.stringify(toApi(column, one))
        const isSame = apiText(values[attribute]) === apiText(value)
        assert.equal(version({ ...values, [attribute]: value }) === version(values), isSame)
      }),
      { numRuns: runs(500) }
    )
  })

  test("[B25] hidden values do not affect the version, so that they can't be guessed", ({
    assert,
  }) => {
    fc.assert(
      fc.property(record, fc.option(fc.string()), (values, secret) => {
        assert.equal(version({ ...values, secret }), version(values))
      })
    )
  })

  test('[B25] equal texts that are divided differently between columns have different versions', ({
    assert,
  }) => {
    const values = { id: 1, name: 'a', longText: 'b' }
    assert.notEqual(version(values), version({ id: 1, name: 'ab', longText: '' }))
    assert.notEqual(
      version({ ...values, longText: null }),
      version({ ...values, longText: 'null' })
    )
    assert.notEqual(version({ ...values, count: 1 }), version({ ...values, count: 10 }))
  })

  test('[B25] the version of a record is the same however the record was read', async ({
    assert,
  }) => {
    await db.from('samples').delete()
    const crud = new LucidCrud(Sample)
    const { id } = await crud.create({
      name: 'x',
      big: '9007199254740993',
      ratio: 1.5,
      active: true,
      day: DateTime.utc(2026, 2, 3),
      moment: DateTime.utc(2026, 2, 3, 4, 5, 6),
      data: '{"a":[1]}',
      bytes: Buffer.from([0, 255]),
    })
    const found = crud.resource.columns.versionOf((await crud.find(id))!)
    const [many] = await crud.findMany([id])
    assert.equal(crud.resource.columns.versionOf(many), found)
    let locked: string | undefined
    await crud.update(
      id,
      { name: 'y' },
      { precondition: (row) => void (locked = crud.resource.columns.versionOf(row)) }
    )
    assert.equal(locked, found)
    assert.notEqual(crud.resource.columns.versionOf((await crud.find(id))!), found)
  })
})
