import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { fromVine } from '#crud/openapi/field_schemas'

const of = (schema: any) => fromVine(schema.toJSONSchema())

test.group('JSON schemas of VineJS as OpenAPI schemas', () => {
  test('[Q1] {title}')
    .with([
      { title: 'a boolean is one', schema: vine.boolean(), json: { type: 'boolean' } },
      { title: 'anything is anything', schema: vine.any(), json: {} },
      {
        title: 'choices of texts are texts',
        schema: vine.enum(['a', 'b']),
        json: { type: 'string', enum: ['a', 'b'] },
      },
      {
        title: 'a tuple has its places in turn',
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
        title: 'unknown properties of an object are ignored, not refused',
        schema: vine.object({ done: vine.boolean(), more: vine.any().optional() }),
        json: {
          type: 'object',
          properties: { done: { type: 'boolean' }, more: {} },
          required: ['done'],
        },
      },
      {
        title: 'an object of unknown properties may have some',
        schema: vine.object({}).allowUnknownProperties(),
        json: { type: 'object', properties: {}, required: [] },
      },
      {
        title: 'lists and records hold what they hold',
        schema: vine.array(vine.record(vine.boolean())),
        json: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: 'boolean' } },
        },
      },
      {
        title: 'null is an alternative',
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
