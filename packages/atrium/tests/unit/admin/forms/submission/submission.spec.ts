import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import type { AdminSite, ModelView } from '#admin'
import { formFields } from '#admin/forms/fields/form_fields'
import type { FormField } from '#admin/forms/fields/form_field'
import { sentTexts } from '#admin/http/form_texts'
import { readSubmission } from '#admin/forms/submission/submission'
import { textsOf, valueOf } from '#admin/forms/fields/field_texts'
import { keepUntouched, storedTexts } from '#admin/forms/submission/unchanged_fields'
import { Machine } from '#tests/fixtures/forms'
import { adminSite } from '#tests/helpers/admin'
import { its } from '#tests/helpers/its'
import { insertRow } from '#tests/helpers/databases'
import { UnreadableText } from '#admin/text/errors'

test.group('Submitted forms', (group) => {
  let site: AdminSite
  let view: ModelView
  let fields: FormField[]

  group.setup(async () => {
    site = await adminSite()
    view = site.models.get('Machine')!
    fields = formFields(site, view, 'update')
  })

  const field = (name: string) => fields.find((one) => one.name === name)!

  async function submit(pairs: Array<[string, string]>, mode: 'create' | 'update' = 'update') {
    const ctx = await contextOf(pairs)
    return await readSubmission(fields, ctx, mode)
  }

  test('[S42] an update trims texts and omits empty ones; a create omits empty ones without trimming the others', async ({
    assert,
  }) => {
    const pairs: Array<[string, string]> = [
      ['name', '  a '],
      ['nickname', '   '],
      ['notes', ''],
    ]
    assert.deepEqual(await its(submit(pairs), 'values'), { name: 'a' })
    assert.deepEqual(await its(submit(pairs, 'create'), 'values'), { name: '  a ' })
    assert.deepEqual(await its(its(submit(pairs), 'shown'), 'name'), ['  a '])
  })

  test('[S43] unknown and empty fields of a form are not counted as submitted values', async ({
    assert,
  }) => {
    assert.isFalse(await its(submit([]), 'supplied'))
    const empty = submit([
      ['name', ' '],
      ['other', 'x'],
      ['_version', 'x'],
    ])
    assert.isFalse(await its(empty, 'supplied'))
    assert.isTrue(await its(submit([['name', 'x']]), 'supplied'))
    assert.isTrue(await its(submit([['active', 'false']]), 'supplied'))
    assert.isTrue(await its(submit([['data', '{']]), 'supplied'))
    assert.isTrue(await its(submit([['notes__clear', '1']]), 'supplied'))
  })

  test('[S36] a form is parsed only once, and can have 1,000 values of a field and 10,000 fields', async ({
    assert,
  }) => {
    const values = (count: number): Array<[string, string]> =>
      Array.from({ length: count }, () => ['name', 'x'])
    const names = (count: number): Array<[string, string]> =>
      Array.from({ length: count }, (_, index) => [`f${index}`, 'x'])
    const ctx = await contextOf(values(1000))
    assert.lengthOf(sentTexts(ctx).get('name')!, 1000)
    assert.strictEqual(sentTexts(ctx), sentTexts(ctx))
    assert.equal(sentTexts(await contextOf(names(10_000))).size, 10_000)
    for (const pairs of [values(1001), names(10_001)]) {
      const tooMany = await contextOf(pairs)
      assert.throws(() => sentTexts(tooMany), 'The form has more fields or values than are read')
    }
  })

  test('[B17] the checkboxes that clear a field have no effect on a create', async ({ assert }) => {
    const { cleared, values } = await submit(
      [
        ['notes__clear', '1'],
        ['notes', 'x'],
      ],
      'create'
    )
    assert.equal(cleared.size, 0)
    assert.deepEqual(values, { notes: 'x' })
  })

  test("[S36] names of Object.prototype's members are ordinary names", async ({ assert }) => {
    const { values } = await submit([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['name', 'z'],
    ])
    assert.deepEqual(Object.keys(values), ['name'])
    assert.isUndefined(({} as any).x)
  })

  test('[B17] numbers in the notation of browsers are normalized', ({ assert }) => {
    const cases: Array<[string, unknown]> = [
      ['5', '5'],
      ['-5', '-5'],
      ['1e3', '1000'],
      ['1E-2', '0.01'],
      ['.5', '0.5'],
      ['-.5', '-0.5'],
      ['+7', '7'],
      ['5.', '5'],
      ['5.0', '5'],
      ['007', '7'],
      ['9223372036854775807', '9223372036854775807'],
      ['12.3400', '12.3400'],
      ['abc', 'abc'],
      ['0x10', '0x10'],
      ['1e999', '1e999'],
    ]
    for (const [text, value] of cases) assert.equal(valueOf(field('ratio'), [text]), value, text)
  })

  test('[B17] invalid JSON is an error; null is an empty value', ({ assert }) => {
    for (const text of ['{', 'abc', "{'a':1}", '01']) {
      assert.throws(() => valueOf(field('data'), [text]), UnreadableText as any)
    }
    assert.isUndefined(valueOf(field('data'), ['null']))
    assert.deepEqual(valueOf(field('data'), ['{"a":12345678901234567890}']), {
      a: '12345678901234567890',
    })
  })

  test('[A29, B17] JSON nested deeper than a body allows is an error', ({ assert }) => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    assert.equal(JSON.stringify(valueOf(field('data'), [nested(32)])), nested(32))
    for (const levels of [33, 100_000]) {
      assert.throws(
        () => valueOf(field('data'), [nested(levels)]),
        'must not nest more than 32 levels deep'
      )
    }
  })

  test('[B17] any value is unchanged when it is written as form texts and parsed again', async ({
    assert,
  }) => {
    const json = fc.jsonValue().filter((value) => value !== null)
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => {
      return !/[\n\r]/.test(text) && text.trim() !== ''
    })
    const values: Record<string, fc.Arbitrary<unknown>> = {
      nickname: fc.string({ minLength: 1 }),
      amount: fc.integer().map(String),
      big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      ratio: fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((number) => !Object.is(number, -0)),
      active: fc.boolean(),
      approved: fc.boolean(),
      day: moment().map((text) => text.slice(0, 10)),
      moment: moment(),
      clock: moment().map((text) => text.slice(11)),
      data: json.map((value) => JSON.parse(JSON.stringify(value))),
      tags: fc.array(line, { minLength: 1 }),
      colours: fc.subarray(['red', 'green', 'blue'], { minLength: 1 }),
      level: fc.constantFrom(1, 2, 3),
    }
    for (const [name, arbitrary] of Object.entries(values)) {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const read = valueOf(field(name), textsOf(field(name), value))
          assert.deepEqual(field(name).valueType === 'number' ? plain(read, value) : read, value)
        })
      )
    }
  })

  test('[S42] a random record that is submitted unchanged stays the same', async ({ assert }) => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '\r\n', 'é', '😀', '"') })
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          notes: fc.option(text),
          nickname: fc.option(text),
          moment: fc.option(moment().map((one) => `${one}.250`)),
          plain_moment: fc.option(moment()),
          data: fc.option(fc.json()),
          tags: fc.option(fc.array(text).map((list) => JSON.stringify(list))),
          approved: fc.option(fc.boolean()),
        }),
        async (row) => {
          await db.from('form_machines').delete()
          const id = await insertRow('form_machines', {
            ...row,
            name: 'Loom',
            created_at: '2024-01-01 00:00:00',
          })
          const record = await Machine.findOrFail(id)
          const shown = storedTexts(fields, record)
          /* As a browser sends it: chosen values separately, all others in one text. */
          const pairs = fields.flatMap(({ name, choices }) => {
            const texts = shown[name] ?? []
            const sent =
              name === 'active'
                ? ['false', ...texts]
                : choices
                  ? texts
                  : texts.length > 0
                    ? [texts.join('\n')]
                    : []
            return sent.map((one): [string, string] => [name, one.replace(/\r\n?|\n/g, '\r\n')])
          })
          const submission = await submit(pairs)
          const values = await view.resource.updateBody.parse(withoutTags(submission.values), {})
          keepUntouched(fields, submission, record, values)
          record.merge(values as any)
          assert.deepEqual(record.$dirty, {})
        }
      ),
      { numRuns: 60 }
    )
  })
})

/* Their schema limits them to ten characters, which is not tested here. */
function withoutTags({ tags, ...values }: Record<string, unknown>) {
  return values
}

function moment() {
  return fc
    .date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 19).replace('T', ' '))
}

/** Numbers stay texts until the schema converts them. */
function plain(read: unknown, value: unknown) {
  return typeof value === 'number' ? Number(read) : read
}

async function contextOf(pairs: Array<[string, string]>) {
  const request = new RequestFactory().create()
  request.updateRawBody(new URLSearchParams(pairs).toString())
  request.request.headers['content-type'] = 'application/x-www-form-urlencoded'
  request.request.headers['transfer-encoding'] = 'chunked'
  return new HttpContextFactory().merge({ request, app } as any).create()
}
