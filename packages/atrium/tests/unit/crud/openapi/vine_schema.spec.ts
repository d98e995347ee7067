import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { fromVine } from '#crud/openapi/field_schemas'

const of = (schema: any) => fromVine(schema.toJSONSchema())

test.group('JSON schemas of VineJS as OpenAPI schemas', () => {
  test('[Q1] a rule of VineJS becomes an OpenAPI schema: {title}')
    .with([
      { title: 'a boolean rule is a boolean', schema: vine.boolean(), json: { type: 'boolean' } },
      { title: 'any() is a schema without restrictions', schema: vine.any(), json: {} },
      {
        title: 'an enum of texts has the type string',
        schema: vine.enum(['a', 'b']),
        json: { type: 'string', enum: ['a', 'b'] },
      },
      {
        title: 'a tuple lists the schemas of its items in order',
        schema: vine.tuple([vine.string(), vine.boolean()]),
        json: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'boolean' }],
          items: false,
          minItems: 2,
          maxItems: 2,
        },
      },
      {
        title: 'an object does not refuse unknown properties',
        schema: vine.object({ done: vine.boolean(), more: vine.any().optional() }),
        json: {
          type: 'object',
          properties: { done: { type: 'boolean' }, more: {} },
          required: ['done'],
        },
      },
      {
        title: 'an object that allows unknown properties does not refuse them either',
        schema: vine.object({}).allowUnknownProperties(),
        json: { type: 'object', properties: {}, required: [] },
      },
      {
        title: 'arrays and records declare the schema of their items',
        schema: vine.array(vine.record(vine.boolean())),
        json: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: 'boolean' } },
        },
      },
      {
        title: 'a nullable rule also accepts null',
        schema: vine.boolean().nullable(),
        json: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
    ])
    .run(({ assert }, { schema, json }) => {
      assert.deepEqual(JSON.parse(JSON.stringify(of(schema))), json)
    })

  test('[Q1] a pattern that not all clients support is omitted', ({ assert }) => {
    assert.deepEqual(fromVine({ type: 'string', pattern: String.raw`\-x` }), { type: 'string' })
    assert.equal(fromVine({ type: 'string', pattern: '^a$' }).pattern, '^a$')
  })

  test('[Q1] the JSON schema of VineJS is not modified', ({ assert }) => {
    const json = Object.freeze({ type: 'object', properties: Object.freeze({ a: { enum: [1] } }) })
    assert.deepEqual(fromVine(json).properties, { a: { enum: [1], type: 'number' } })
    assert.deepEqual(json.properties, { a: { enum: [1] } })
  })
})
