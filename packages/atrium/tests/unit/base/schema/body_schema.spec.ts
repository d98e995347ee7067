import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { Problem, resources, ValueError } from '#crud'
import { BodySchema } from '#base/schema/body_schema'
import { CompiledSchema, type ObjectSchema } from '#base/schema/object_schema'
import { Resource } from '#crud/resource/resource'
import { Sample } from '#tests/fixtures/samples'
import { Consignment, Lead } from '#tests/fixtures/writes'

const META = { operation: 'create' }

function bodySchema(schema: ObjectSchema, model: unknown = Sample, keysAreFixed = false) {
  const { columns } = resources.all().find((resource) => resource.model === model)!
  return new BodySchema(
    new CompiledSchema(schema, 'createSchema', 'Sample'),
    (name) => columns.find(name),
    keysAreFixed
  )
}

async function errorsOf(schema: BodySchema, body: Record<string, unknown>) {
  try {
    await schema.parse(body, META)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.errors!
  }
}

test.group('Reading a body', () => {
  test('[A7] only fields of the schema are accepted from a body', async ({ assert }) => {
    const schema = bodySchema(vine.object({ name: vine.string() }).allowUnknownProperties())
    const body = { name: 'a', count: 5, isDeleted: true, id: 7, extra: {} }
    assert.deepEqual(await schema.parse(body, META), { name: 'a' })
  })

  test('[A7] a key is accepted by a create and ignored by an update', async ({ assert }) => {
    const schema = vine.object({ id: vine.number(), name: vine.string() })
    const body = { id: 7, name: 'a' }
    assert.deepEqual(await bodySchema(schema).parse(body, META), body)
    assert.deepEqual(await bodySchema(schema, Sample, true).parse(body, META), { name: 'a' })
  })

  test('[P6] values are returned by attribute names, whatever names the schema uses', async ({
    assert,
  }) => {
    const body = { long_text: 'x', plain_moment: '2024-05-06 07:08:09' }
    const expected = { longText: 'x', plainMoment: '2024-05-06 07:08:09' }
    const apiNames = vine.object({ long_text: vine.string(), plain_moment: vine.string() })
    const attributes = vine.object({ longText: vine.string(), plainMoment: vine.string() })
    const schemas = [apiNames, attributes, vine.create(apiNames), apiNames.clone().toCamelCase()]
    for (const schema of schemas) {
      assert.deepEqual(await bodySchema(schema).parse(body, META), expected)
    }
    const mail = bodySchema(vine.object({ emailAddress: vine.string().email() }), Lead)
    assert.deepEqual(await mail.parse({ mail: 'a@b.org' }, META), { emailAddress: 'a@b.org' })
    assert.deepEqual(await errorsOf(mail, { emailAddress: 'a@b.org' }), [
      { field: 'mail', rule: 'required', message: 'The mail field must be defined' },
    ])
  })

  test('[P6] a virtual field is returned by its own name with its value unchanged', async ({
    assert,
  }) => {
    const schema = bodySchema(
      vine.object({ password: vine.string(), again: vine.any().optional() })
    )
    assert.deepEqual(await schema.parse({ password: ' x ' }, META), { password: ' x ' })
    assert.deepEqual(await schema.parse({ password: 'x', again: null }, META), { password: 'x' })
  })

  test('[P6] fields of conditional groups are included', async ({ assert }) => {
    const group = vine.group([
      vine.group.if((data) => data.active === true, { count: vine.number() }),
      vine.group.else({ code: vine.string() }),
    ])
    const schema = bodySchema(vine.object({ active: vine.boolean() }).merge(group))
    assert.sameMembers(
      schema.fields.map((field) => field.apiName),
      ['active', 'count', 'code']
    )
    assert.deepEqual(await schema.parse({ active: true, count: 5, code: 'x' }, META), {
      active: true,
      count: 5,
    })
  })

  test('[A28] null in the body stays null, and an absent field stays absent', async ({
    assert,
  }) => {
    const schema = bodySchema(
      vine.object({
        name: vine.string().optional(),
        count: vine.number().optional(),
        ratio: vine.number().nullable(),
      })
    )
    assert.deepEqual(await schema.parse({ count: null, ratio: null }, META), {
      count: null,
      ratio: null,
    })
    assert.deepEqual(await schema.parse({ ratio: 1 }, META), { ratio: 1 })
    assert.deepEqual(await errorsOf(schema, { name: null, ratio: 1 }), [
      { field: 'name', rule: 'nullable', message: 'The name field must not be null' },
    ])
  })

  test('[A6] errors found before, during and after the schema validation are reported together, one per field', async ({
    assert,
  }) => {
    const schema = bodySchema(
      vine.object({
        name: vine.string(),
        code: vine.string().email(),
        count: vine.number().min(10),
        data: vine.object({ deep: vine.number(), list: vine.array(vine.number()) }),
        token: vine.string(),
        longText: vine.string().bail(false).email().url(),
      })
    )
    const errors = await errorsOf(schema, {
      name: 'x'.repeat(21),
      code: 'x',
      count: true,
      data: { deep: 'x', list: [1, 'x'] },
      token: 'x',
      long_text: 'x',
    })
    assert.sameMembers(
      errors.map(({ field, rule }) => `${field} ${rule}`),
      [
        'name maxLength',
        'code email',
        'count integer',
        'data.deep number',
        'data.list.1 number',
        'token uuid',
        'long_text email',
      ]
    )
  })

  test('[A6.2] the error of a date field contains its format, and a datetime field has the message of VineJS', async ({
    assert,
  }) => {
    const schema = vine.object({ day: vine.date({ formats: ['YYYY-MM-DD'] }), moment: vine.date() })
    assert.deepEqual(await errorsOf(bodySchema(schema), { day: 'x', moment: 'x' }), [
      { field: 'day', rule: 'date', message: 'The day field must be a date as YYYY-MM-DD' },
      { field: 'moment', rule: 'date', message: 'The moment field must be a datetime value' },
    ])
    const german = bodySchema(vine.object({ day: vine.date({ formats: ['DD.MM.YYYY'] }) }))
    const [{ message }] = await errorsOf(german, { day: 'x' })
    assert.equal(message, 'The day field must be a date as DD.MM.YYYY')
  })

  test('[A6] a field with an error in a part of its value is not checked against its column as well', async ({
    assert,
  }) => {
    const schema = bodySchema(vine.object({ name: vine.array(vine.number()) }))
    const errors = await errorsOf(schema, { name: ['x'] })
    assert.deepEqual(
      errors.map((error) => error.field),
      ['name.0']
    )
  })

  test('[A28] the value that the schema returns for a field is used', async ({ assert }) => {
    const schema = bodySchema(
      vine.object({
        name: vine.string().trim().toUpperCase(),
        count: vine.number().transform((value) => value * 2),
        active: vine.boolean(),
      })
    )
    assert.deepEqual(await schema.parse({ name: ' a ', count: '4', active: 'on' }, META), {
      name: 'A',
      count: 8,
      active: true,
    })
    /* Also if another field fails: the text fits only after it is trimmed. */
    const errors = await errorsOf(schema, { name: `${' '.repeat(30)}a`, count: 'x', active: 1 })
    assert.deepEqual(
      errors.map((error) => error.field),
      ['count']
    )
  })

  test('[A20] all digits of an integer are preserved although the schema receives only a number', async ({
    assert,
  }) => {
    const schema = bodySchema(vine.object({ big: vine.number().withoutDecimals() }))
    assert.deepEqual(await schema.parse({ big: 9007199254740993n }, META), {
      big: '9007199254740993',
    })
  })
})

test.group('Valid schemas', () => {
  test('[P6] a value other than an object schema is a configuration error', ({ assert }) => {
    for (const schema of [
      {},
      null,
      vine.string(),
      vine.array(vine.object({ name: vine.string() })),
      vine.create(vine.array(vine.string())),
      () => {},
    ]) {
      assert.throws(
        () => new Resource({ model: Sample, createSchema: schema as any }),
        ValueError as any,
        /Sample: createSchema is .*, and must be a VineJS object schema/
      )
    }
  })

  test('[P6] an unknown field is a configuration error, unless it is virtual', ({ assert }) => {
    const createSchema = vine.object({ name: vine.string(), password: vine.string() })
    assert.throws(
      () => new Resource({ model: Sample, createSchema }),
      ValueError as any,
      /Sample: createSchema does not match the model: password is not a column; columns are .*name/
    )
    assert.throws(
      () => new Resource({ model: Sample, updateSchema: vine.create(createSchema) }),
      ValueError as any,
      /updateSchema/
    )
    assert.doesNotThrow(
      () => new Resource({ model: Sample, createSchema, virtualFields: ['password'] })
    )
  })

  test('[P7] a generated column in a schema is a configuration error', async ({ assert }) => {
    const updateSchema = vine.object({ doublePrice: vine.number().optional() })
    await assert.rejects(
      () => new Resource({ model: Consignment, updateSchema }).load(),
      ValueError as any,
      /Consignment: updateSchema names double_price, which the database works out itself/
    )
  })
})
