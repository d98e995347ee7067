import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { resources } from '#crud'
import { deriveSchema, type DerivedFrom } from '#crud/resource/model_schemas'
import { Sample } from '#tests/fixtures/samples'
import { FixtureInvoice } from '#tests/fixtures/writes'

const columnsOf = (model: unknown) =>
  resources.all().find((resource) => resource.model === model)!.columns.all

function derive(operation: 'create' | 'update', model: unknown, from: Partial<DerivedFrom> = {}) {
  const schema = deriveSchema(operation, {
    columns: columnsOf(model),
    managed: new Set(),
    keyIsGiven: false,
    ...from,
  })
  return vine.create(schema as any)
}

const tree = (validator: any) => validator.toJSON().schema.schema.properties as any[]

const namesOf = (validator: any) => tree(validator).map((property) => property.fieldName)

async function failing(validator: any, body: object) {
  const [error] = await validator.tryValidate(body)
  return (error?.messages ?? []).map((message: any) => message.field)
}

test.group('Deriving a schema', () => {
  test('[P7] the fields are all columns except key, timestamps and hidden ones', ({ assert }) => {
    for (const operation of ['create', 'update'] as const) {
      assert.deepEqual(
        namesOf(derive(operation, Sample)),
        columnsOf(Sample)
          .map((column) => column.attribute)
          .filter((name) => !['id', 'createdAt', 'updatedAt', 'secret'].includes(name))
      )
      assert.isTrue(columnsOf(Sample).some(({ attribute }) => attribute === 'secret'))
    }
  })

  test('[P7] columns that the engine sets are not part of a derived schema', ({ assert }) => {
    const names = namesOf(derive('create', Sample, { managed: new Set(['active', 'moment']) }))
    assert.notIncludeMembers(names, ['active'])
    assert.notIncludeMembers(names, ['moment'])
    assert.includeMembers(names, ['name', 'plainMoment'])
  })

  test('[P7] the key is a field of a create only, and only if it is not generated', ({
    assert,
  }) => {
    assert.include(namesOf(derive('create', Sample, { keyIsGiven: true })), 'id')
    assert.notInclude(namesOf(derive('update', Sample, { keyIsGiven: true })), 'id')
  })

  test('[P7] on create a field is required unless it is nullable or has a default', async ({
    assert,
  }) => {
    assert.deepEqual(await failing(derive('create', Sample), {}), ['name'])
    assert.deepEqual(await failing(derive('create', FixtureInvoice), {}), ['number', 'amount'])
    assert.deepEqual(await failing(derive('update', FixtureInvoice), {}), [])
  })

  test('[P7] a derived schema accepts null for nullable columns', ({ assert }) => {
    const nullable = tree(derive('create', FixtureInvoice))
      .filter((property) => property.allowNull)
      .map((property) => property.fieldName)
    assert.deepEqual(nullable, ['note'])
  })

  test('[P7] a derived schema validates type, length and choices of a value', async ({
    assert,
  }) => {
    const schema = derive('create', Sample)
    const fits = {
      name: '😀'.repeat(20),
      count: 5,
      ratio: 1.5,
      active: true,
      status: 'paid',
      data: { any: ['thing'] },
      token: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      code: 'x'.repeat(10),
    }
    assert.deepEqual(await failing(schema, fits), [])
    const wrong: Record<string, unknown> = {
      name: '😀'.repeat(21),
      longText: 5,
      count: 1.5,
      big: 'x',
      ratio: 'x',
      active: 'x',
      status: 'lost',
      token: 'x',
      code: 'x'.repeat(11),
      day: 5,
      clock: 5,
      bytes: 5,
    }
    assert.sameMembers(await failing(schema, wrong), Object.keys(wrong))
  })
})
