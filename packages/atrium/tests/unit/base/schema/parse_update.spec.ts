import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { Problem, resources } from '#crud'
import { BodySchema, parseUpdate } from '#base/schema/body_schema'
import { CompiledSchema } from '#base/schema/object_schema'
import { Sample } from '#tests/fixtures/samples'

/** At least the sibling `count`, as an end must not be before its start */
const atLeastCount = vine.createRule((value, _, field) => {
  if (Number(value) < Number(field.parent.count)) {
    field.report('The {{ field }} field must be at least count', 'atLeast', field)
  }
})

function schema() {
  const { columns } = resources.all().find(({ model }) => model === Sample)!
  const shape = vine.object({
    name: vine.string().maxLength(5).optional(),
    count: vine.number().optional(),
    ratio: vine.number().use(atLeastCount()).optional(),
  })
  return new BodySchema(
    new CompiledSchema(shape, 'updateSchema', 'Sample'),
    (name) => columns.find(name),
    true
  )
}

const parse = (body: Record<string, unknown>, stored: Record<string, unknown> | null) =>
  parseUpdate(schema(), { body, meta: { operation: 'update' }, stored: () => stored })

async function errorsOf(parsing: Promise<unknown>): Promise<string[]> {
  const error = await parsing.then(
    () => null,
    (one) => one
  )
  return error instanceof Problem ? error.errors!.map(({ field }) => field) : []
}

test.group('Parsing the body of an update', () => {
  const stored = { name: 'much too long', count: 3, ratio: 5 }

  test('an invalid value that equals the stored one is accepted and left out of the update', async ({
    assert,
  }) => {
    assert.deepEqual(await parse({ name: 'much too long', count: 4 }, stored), { count: 4 })
  })

  test('an invalid value that differs from the stored one is refused', async ({ assert }) => {
    const body = { name: 'another long name', count: 4 }
    assert.deepEqual(await errorsOf(parse(body, stored)), ['name'])
    assert.deepEqual(await errorsOf(parse(body, null)), ['name'])
  })

  test('a stored value that a changed field makes invalid is refused', async ({ assert }) => {
    const body = { name: 'much too long', count: 9, ratio: 5 }
    assert.include(await errorsOf(parse(body, stored)), 'ratio')
  })

  test('the record is not read if the body is valid', async ({ assert }) => {
    const values = await parseUpdate(schema(), {
      body: { name: 'a' },
      meta: {},
      stored: () => {
        throw new Error('read')
      },
    })
    assert.deepEqual(values, { name: 'a' })
  })
})
