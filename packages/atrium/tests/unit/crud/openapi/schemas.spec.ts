import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { EndpointCreator, resources, type CrudOptions, type Resource } from '#crud'
import { describeBody } from '#crud/openapi/request_body'
import { describeItem } from '#crud/openapi/field_schemas'
import { Gadget } from '#tests/fixtures/openapi'
import { Sample } from '#tests/fixtures/samples'

const known = (path: string) => resources.endpoints().find((one) => one.path === path)!.resource

/** Properties of the item schema. */
const item = (resource: Resource) => describeItem(resource, () => ({})).properties!

/** The samples with other schemas. */
async function samplesWith(options: CrudOptions): Promise<Resource> {
  const { resource } = new EndpointCreator({ model: Sample, ...options })
  await resource.load()
  return resource
}

/** Schema of a field in the body of a create. */
async function field(name: string, schema: any, more: CrudOptions = {}) {
  const createSchema = vine.object({ [name]: schema })
  const { createBody } = await samplesWith({ createSchema, ...more })
  const body = describeBody(createBody, 'create')
  return { ...body.properties![name], isRequired: body.required?.includes(name) ?? false }
}

test.group('Item schemas', () => {
  test('[Q1, A20] the schema of a column describes the format of its responses: {name}')
    .with([
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'string', maxLength: 20 },
      { name: 'count', type: ['integer', 'string', 'null'] },
      { name: 'ratio', type: ['number', 'null'] },
      { name: 'active', type: ['boolean', 'null'] },
      { name: 'day', type: ['string', 'null'], format: 'date' },
      { name: 'token', type: ['string', 'null'], format: 'uuid' },
      { name: 'bytes', type: ['string', 'null'], contentEncoding: 'base64' },
      { name: 'status', type: 'string', enum: ['draft', 'sent', 'paid'] },
      { name: 'big', type: ['integer', 'string', 'null'], format: 'int64' },
    ])
    .run(({ assert }, { name, type, ...form }) => {
      const told = item(known('/api/samples'))[name]
      assert.deepEqual(told.type, type)
      assert.containsSubset(told, form)
    })

  test('[Q1, A20] a datetime schema matches its format only', ({ assert }) => {
    const { moment } = item(known('/api/samples'))
    const pattern = new RegExp(moment.pattern!, 'u')
    assert.isTrue(pattern.test('2026-03-01 14:30:00'))
    assert.isFalse(pattern.test('2026-03-01T14:30:00Z'))
    assert.deepEqual(moment.type, ['string', 'null'])
  })

  test('[Q1] hidden columns are omitted, and all others are required', ({ assert }) => {
    const { properties, required } = describeItem(known('/api/samples'), () => ({}))
    assert.notProperty(properties!, 'secret')
    assert.sameMembers(required!, Object.keys(properties!))
  })

  test('[Q1] a column with a custom serialize has its declared schema, or an empty one', ({
    assert,
  }) => {
    const gadget = item(known('/api/gadgets'))
    assert.deepEqual(gadget.weight, { type: 'string', examples: ['120 g'] })
    assert.containsSubset(gadget.price, { type: 'object', properties: { cents: {} } })
    assert.deepEqual(gadget.words, { type: 'array', items: { type: 'string' } })
    assert.deepEqual(gadget.shout, { type: 'string', readOnly: true })
    assert.deepEqual(gadget.letters, { type: 'integer', readOnly: true })
    assert.containsSubset(gadget.label, { description: 'What people call it', maxLength: 40 })
    assert.deepEqual(gadget.size, { type: ['string', 'null'], enum: ['s', 'm', 'l', null] })
  })

  test('[Q1, P4] selectSchema determines the properties of the item schema', async ({ assert }) => {
    const resource = await samplesWith({
      selectSchema: vine.object({ id: vine.number(), name: vine.string() }),
    })
    assert.deepEqual(Object.keys(item(resource)), ['id', 'name'])
  })

  test('[Q1] the item of a model with a custom serialize is any object', ({ assert }) => {
    const schema = describeItem(known('/api/masks'), () => ({}))
    assert.isUndefined(schema.properties)
    assert.isTrue(schema.additionalProperties)
  })

  test('[Q1, Q3] included items are optional properties', ({ assert }) => {
    const { properties, required } = describeItem(known('/api/reels'), ({ name }) => ({
      $ref: name,
    }))
    assert.containsSubset(properties!.lender, {
      anyOf: [{ $ref: 'Lender' }, { type: 'null' }],
    })
    assert.notInclude(required!, 'lender')
  })
})

test.group('Body schemas', () => {
  test('[Q1, P7] a derived schema describes the columns of the table', ({ assert }) => {
    const { properties, required } = describeBody(known('/api/samples').createBody, 'create')
    assert.deepEqual(required, ['name'])
    assert.deepEqual(properties!.name, { type: 'string', maxLength: 20 })
    assert.deepEqual(properties!.status, { type: 'string', enum: ['draft', 'sent', 'paid'] })
    assert.notProperty(properties!, 'secret')
    assert.notProperty(properties!, 'id')
    assert.notProperty(properties!, 'created_at')
    assert.deepEqual(properties!.data, { description: 'Any JSON value' })
  })

  test('[Q1] the body of an update has no required fields and no key', ({ assert }) => {
    const body = describeBody(known('/api/seats').updateBody, 'update')
    assert.deepEqual(Object.keys(body.properties!), ['label'])
    assert.notProperty(body, 'required')
    const create = describeBody(known('/api/seats').createBody, 'create')
    assert.sameMembers(create.required!, ['hall', 'place', 'label'])
  })

  test('[Q1, A28] a nullable field is described as the schema accepts it: {title}')
    .with([
      { title: 'nullable', schema: vine.number().nullable(), takes: true, isRequired: true },
      { title: 'optional', schema: vine.number().optional(), takes: true, isRequired: false },
      { title: 'required', schema: vine.number(), takes: false, isRequired: true },
    ])
    .run(async ({ assert }, { schema, takes, isRequired }) => {
      const told = await field('count', schema)
      assert.equal([told.type].flat().includes('null'), takes)
      assert.equal(told.isRequired, isRequired)
    })

  test('[Q1, A28] a NOT NULL column does not accept null, whatever the schema accepts', async ({
    assert,
  }) => {
    const told = await field('name', vine.string().nullable().optional())
    assert.equal(told.type, 'string')
  })

  test('[Q1] constraints of the schema are described: {title}')
    .with([
      {
        title: 'range',
        name: 'count',
        schema: vine.number().range([1, 5]),
        minimum: 1,
        maximum: 5,
      },
      { title: 'length', name: 'name', schema: vine.string().maxLength(5), maxLength: 5 },
      { title: 'shorter column', name: 'name', schema: vine.string().maxLength(90), maxLength: 20 },
      { title: 'email', name: 'name', schema: vine.string().email(), format: 'email' },
      { title: 'pattern', name: 'name', schema: vine.string().regex(/^a/), pattern: '^a' },
      { title: 'choices', name: 'name', schema: vine.enum(['a', 'b']), enum: ['a', 'b'] },
      {
        title: 'meta',
        name: 'name',
        schema: vine.string().meta({ examples: ['x'] }),
        examples: ['x'],
      },
      { title: 'date', name: 'day', schema: vine.date(), type: 'string', format: 'date' },
      { title: 'boolean', name: 'active', schema: vine.boolean(), type: 'boolean' },
      { title: 'whole', name: 'count', schema: vine.number(), type: ['integer', 'string'] },
    ])
    .run(async ({ assert }, { title: _, name, schema, ...wanted }) => {
      assert.containsSubset(await field(name, schema), wanted)
    })

  test('[Q1] a pattern with flags is omitted, as it would match different texts without them', async ({
    assert,
  }) => {
    const told = await field('name', vine.string().regex(/^a/i))
    assert.isUndefined(told.pattern)
  })

  test('[Q1, P6] a virtual field is write-only, and a secret one has the format password', async ({
    assert,
  }) => {
    const password = await field('password', vine.string().minLength(8), {
      virtualFields: ['password'],
    })
    assert.containsSubset(password, { format: 'password', minLength: 8, writeOnly: true })
    const born = await field('born', vine.date(), { virtualFields: ['born'] })
    assert.containsSubset(born, { type: 'string', writeOnly: true })
  })

  test("[Q1] a file field is omitted, as JSON can't contain files", async ({ assert }) => {
    const { createBody } = await samplesWith({
      createSchema: vine.object({ name: vine.file().optional(), code: vine.string().optional() }),
    })
    assert.deepEqual(Object.keys(describeBody(createBody, 'create').properties!), ['code'])
  })

  test("[Q1] OpenAPI declarations of a column's responses do not apply to bodies", ({ assert }) => {
    const { properties } = describeBody(known('/api/gadgets').createBody, 'create')
    assert.containsSubset(properties!.weight, { type: 'integer', minimum: 0, maximum: 10_000 })
    assert.notProperty(properties!.weight, 'examples')
    assert.containsSubset(properties!.words, { type: 'array', items: { pattern: '^[a-z]+$' } })
    assert.equal(known('/api/gadgets').model, Gadget)
  })
})
