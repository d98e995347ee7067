import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { ValueError } from '#crud'
import { CompiledSchema } from '#crud/resource/object_schema'

test.group('CompiledSchema', () => {
  const fields = { name: vine.string(), unit_price: vine.number().optional() }

  test('[P6] a schema is a VineJS object schema or a compiled validator', async ({ assert }) => {
    for (const schema of [
      vine.object(fields),
      vine.create(fields),
      vine.compile(vine.object(fields)),
    ]) {
      const compiled = new CompiledSchema(schema, 'createSchema', 'Product')
      assert.deepEqual(
        compiled.fields.map((field) => field.input),
        ['name', 'unit_price']
      )
      assert.deepEqual(await compiled.validate({ name: 'x', other: 1 }, {}), {
        failures: [],
        output: { name: 'x' },
      })
    }
  })

  test('[P9] anything else says what it should have been', ({ assert }) => {
    for (const schema of [{}, fields, vine.string(), null, 'name', vine.array(vine.string())]) {
      assert.throws(
        () => new CompiledSchema(schema as any, 'createSchema', 'Product'),
        ValueError as any
      )
      assert.throws(
        () => new CompiledSchema(schema as any, 'createSchema', 'Product'),
        /^Product: createSchema must be a VineJS object schema/
      )
    }
  })

  test('[P6] fields are known by what goes in and what comes out', ({ assert }) => {
    const compiled = new CompiledSchema(
      vine.object(fields).toCamelCase(),
      'createSchema',
      'Product'
    )
    assert.deepEqual(compiled.fields, [
      { input: 'name', output: 'name' },
      { input: 'unit_price', output: 'unitPrice' },
    ])
  })

  test('[P6] fields that only some groups have are fields', ({ assert }) => {
    const guide = vine.group([
      vine.group.if((data) => data.hasGuide === true, {
        hasGuide: vine.literal(true),
        guide: vine.string(),
      }),
      vine.group.else({ hasGuide: vine.literal(false) }),
    ])
    const compiled = new CompiledSchema(vine.object(fields).merge(guide), 'createSchema', 'Tour')
    assert.deepEqual(
      compiled.fields.map((field) => field.input),
      ['name', 'unit_price', 'hasGuide', 'guide']
    )
  })

  test('[A6] every failing field is told, what passes comes out, and rules see the meta', async ({
    assert,
  }) => {
    const seen: unknown[] = []
    const look = vine.createRule((_value, _options, field) => void seen.push(field.meta.operation))
    const compiled = new CompiledSchema(
      vine.object({ ...fields, note: vine.string().use(look()) }),
      'createSchema',
      'Product'
    )
    const { failures, output } = await compiled.validate(
      { unit_price: 'x', note: 'y' },
      { operation: 'create' }
    )
    assert.deepEqual(
      failures.map(({ field, rule }) => [field, rule]),
      [
        ['name', 'required'],
        ['unit_price', 'number'],
      ]
    )
    assert.deepInclude(output, { note: 'y' })
    assert.deepEqual(seen, ['create'])
  })
})
