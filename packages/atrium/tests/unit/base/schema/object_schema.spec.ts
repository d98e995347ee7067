import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { ValueError } from '#crud'
import { CompiledSchema } from '#base/schema/object_schema'

test.group('CompiledSchema', () => {
  const fields = { name: vine.string(), unit_price: vine.number().optional() }

  test('[P6] a schema can be a VineJS object schema or a compiled validator', async ({
    assert,
  }) => {
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

  test('[P9] a value that is not a schema is refused with the expected types', ({ assert }) => {
    for (const schema of [{}, fields, vine.string(), null, 'name', vine.array(vine.string())]) {
      assert.throws(
        () => new CompiledSchema(schema as any, 'createSchema', 'Product'),
        ValueError as any
      )
      assert.throws(
        () => new CompiledSchema(schema as any, 'createSchema', 'Product'),
        /^Product: createSchema is .*, and must be a VineJS object schema/
      )
    }
  })

  test('[P6] fields are found by input and output names', ({ assert }) => {
    const compiled = new CompiledSchema(
      vine.object(fields).toCamelCase(),
      'createSchema',
      'Product'
    )
    assert.deepEqual(
      compiled.fields.map(({ input, output }) => ({ input, output })),
      [
        { input: 'name', output: 'name' },
        { input: 'unit_price', output: 'unitPrice' },
      ]
    )
  })

  test('[B17] fields are described with the rules of the schema', ({ assert }) => {
    const expression = /^[a-z]+$/i
    const schema = vine
      .object({
        text: vine.string().minLength(2).maxLength(9).regex(expression),
        flag: vine.boolean().nullable().optional(),
        day: vine.date().nullable(),
        count: vine.number().withoutDecimals().range([1, 5]).nullable(),
        one: vine.enum(['a', 'b']).nullable(),
        list: vine.array(vine.enum(['x'])).optional(),
        either: vine.unionOfTypes([vine.string(), vine.number()]),
        neither: vine.unionOfTypes([vine.string(), vine.number()]).optional(),
        filled: vine.string().parse((value) => value ?? 'x'),
      })
      .merge(
        vine.group([
          vine.group.if(() => true, { first: vine.string() }),
          vine.group.else({ second: vine.number() }),
        ])
      )
    const byName = Object.fromEntries(
      new CompiledSchema(schema, 'createSchema', 'Product').fields.map((one) => [one.input, one])
    )
    const facts = Object.entries(byName).map(([name, { type, nullable, required }]) => [
      name,
      type,
      nullable,
      required,
    ])
    assert.sameDeepMembers(facts, [
      ['text', 'string', false, true],
      ['flag', 'boolean', true, false],
      ['day', 'date', true, true],
      ['count', 'number', true, true],
      ['one', 'enum', true, true],
      ['list', 'array', false, false],
      ['either', 'union', false, true],
      ['neither', 'union', false, false],
      ['filled', 'string', false, false],
      ['first', 'string', false, false],
      ['second', 'number', false, false],
    ])
    assert.deepInclude(byName.text.json, { type: 'string', minLength: 2, maxLength: 9 })
    assert.deepEqual(
      byName.text.rules.map(({ name }) => name),
      ['minLength', 'maxLength', 'regex']
    )
    assert.equal(byName.text.rules[2].options, expression)
    assert.deepEqual(byName.count.json, { type: 'integer', minimum: 1, maximum: 5 })
    assert.deepEqual(byName.one.json, { enum: ['a', 'b'] })
    assert.deepEqual(byName.day.json, {})
    assert.deepEqual(byName.list.json.items, { enum: ['x'] })
    assert.deepEqual(byName.neither.json.anyOf, [{ type: 'string' }, { type: 'number' }])
    assert.equal(byName.filled.rules[0].name, 'parse')
  })

  test('[P6] fields of single conditional groups are included', ({ assert }) => {
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

  test('[A6] all invalid fields are reported, valid values are returned, and rules receive the metadata', async ({
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
