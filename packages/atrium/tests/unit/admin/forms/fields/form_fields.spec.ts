import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import vine from '@vinejs/vine'
import { ModelView, Widget, type AdminSite, type AdminViewOptions } from '#admin'
import { formFields } from '#admin/forms/fields/form_fields'
import type { FormField } from '#admin/forms/fields/form_field'
import { Machine, Parting, Review, Shelfmark, WideForm } from '#tests/fixtures/forms'
import { adminSite } from '#tests/helpers/admin'

type Fields = Record<string, FormField>

test.group('Form fields', (group) => {
  let site: AdminSite

  group.setup(async () => {
    site = await adminSite()
  })

  const of = (model: { name: string }, mode: 'create' | 'update' = 'create'): Fields =>
    named(formFields(site, site.models.get(model.name)!, mode))
  const named = (fields: FormField[]) =>
    Object.fromEntries(fields.map((field) => [field.name, field]))

  /** Fields of a table with a text of 10, a text of 300, an unlimited text, a number and a flag. */
  async function fieldsOf(
    createSchema: AdminViewOptions['createSchema'],
    options: AdminViewOptions = {}
  ): Promise<Fields> {
    const view = new ModelView({
      model: Sketch,
      databaseConfig: site.dbConfig,
      adminSite: site,
      createSchema,
      ...options,
    })
    await view.resource.load()
    return named(formFields(site, view, 'create'))
  }

  test('[B17] the widget of a form field depends on its schema and its column', ({ assert }) => {
    const widgets = Object.values(of(Machine)).map(({ name, widget, valueType }) => [
      name,
      widget,
      valueType,
    ])
    assert.deepEqual(widgets, [
      ['name', 'text', 'text'],
      ['nickname', 'text', 'text'],
      ['notes', 'textarea', 'text'],
      ['amount', 'number', 'number'],
      ['big', 'number', 'number'],
      ['ratio', 'number', 'number'],
      ['active', 'checkbox', 'boolean'],
      ['approved', 'select', 'boolean'],
      ['day', 'date', 'date'],
      ['moment', 'datetime-local', 'datetime'],
      ['plain_moment', 'datetime-local', 'datetime'],
      ['clock', 'time', 'time'],
      ['data', 'json', 'json'],
      ['tags', 'textarea', 'text'],
      ['colours', 'multi-select', 'text'],
      ['status', 'select', 'text'],
      ['level', 'select', 'number'],
      ['email', 'email', 'text'],
      ['website', 'url', 'text'],
      ['secret', 'text', 'text'],
      ['password', 'password', 'text'],
      ['maker_id', 'select', 'number'],
    ])
  })

  test('[B17] lists, choices, references and hidden fields are recognized', ({ assert }) => {
    const fields = of(Machine)
    const having = (property: (field: FormField) => unknown) =>
      Object.values(fields)
        .filter(property)
        .map(({ name }) => name)
    assert.deepEqual(
      having(({ multiple }) => multiple),
      ['tags', 'colours']
    )
    assert.deepEqual(
      having(({ virtual }) => virtual),
      ['password']
    )
    assert.deepEqual(
      having(({ hidden }) => hidden),
      ['secret', 'password']
    )
    assert.deepEqual(
      having(({ secret }) => secret),
      ['secret', 'password']
    )
    assert.deepEqual(
      having(({ required }) => required),
      ['name']
    )
    assert.deepEqual(fields.colours.choices, ['red', 'green', 'blue'])
    assert.deepEqual(fields.level.choices, [1, 2, 3])
    assert.deepEqual(fields.approved.choices, [true, false])
    assert.equal(fields.maker_id.reference?.view.name, 'Maker')
    assert.equal(fields.maker_id.label, 'Maker')
  })

  test('[B17] nullable fields and lists can be cleared', ({ assert }) => {
    const fields = of(Machine, 'update')
    const nullable = Object.values(fields).filter((field) => field.nullable)
    assert.notIncludeMembers(
      nullable.map(({ name }) => name),
      ['name', 'amount', 'active', 'status', 'password']
    )
    assert.lengthOf(nullable, 17)
    assert.isNull(fields.tags.emptied)
    assert.deepEqual(fields.colours.emptied, [])
  })

  test('[B17] the form of a new record has the defaults of the table', ({ assert }) => {
    const begun = Object.values(of(Machine))
      .filter(({ initial }) => initial.length > 0)
      .map(({ name, initial }) => [name, ...initial])
    assert.deepEqual(begun, [
      ['amount', '7'],
      ['active', 'true'],
      ['status', 'draft'],
    ])
    assert.isTrue(Object.values(of(Machine, 'update')).every(({ initial }) => initial.length === 0))
  })

  test('[P7, B17] fields of a derived schema have the limits of their columns', ({ assert }) => {
    const { column_1: column1, column_4: column4 } = of(WideForm)
    assert.deepEqual(column1.attributes, { 'maxlength': 100, 'data-most-characters': 50 })
    assert.equal(column4.widget, 'number')
    assert.equal(column4.attributes.step, 1)
  })

  test('[B17] fields of conditional schema groups are part of the form and not required', ({
    assert,
  }) => {
    const required = Object.values(of(Parting)).map((field) => [field.name, field.required])
    assert.sameDeepMembers(required, [
      ['kind', true],
      ['phone', false],
      ['post', false],
    ])
  })

  test('[A7] the key is not a field in the form of an update', ({ assert }) => {
    assert.deepEqual(Object.keys(of(Shelfmark, 'update')), ['title', 'remark'])
    assert.deepEqual(Object.keys(of(Shelfmark)), ['room', 'board', 'title', 'remark'])
  })

  test('[B17] options of a field take precedence over the schema', ({ assert }) => {
    const { text, stars } = of(Review)
    assert.equal(text.label, 'What you think')
    assert.equal(text.help, 'In a few words')
    assert.equal(text.widget, 'text')
    assert.instanceOf(stars.widget, Widget as any)
  })

  test('[B17] constraints of the schema become attributes of the input', async ({ assert }) => {
    const { short, long, endless, count } = await fieldsOf(
      vine.object({
        short: vine.string().fixedLength(4),
        long: vine.string().minLength(2).maxLength(200),
        endless: vine.string().maxLength(256),
        count: vine.number().range([0, 9.5]),
      })
    )
    assert.deepEqual(short.attributes, { minlength: 4, maxlength: 4 })
    assert.deepEqual(long.attributes, { minlength: 2, maxlength: 200 })
    assert.equal(long.widget, 'text')
    assert.equal(endless.widget, 'textarea')
    assert.deepEqual(count.attributes, { step: 1, min: 0, max: 9.5 })
  })

  test('[B17] a pattern becomes an attribute only if browsers interpret it in the same way as the schema', async ({
    assert,
  }) => {
    const patterns: Array<[RegExp, string | undefined]> = [
      [/^[a-z]+$/, '^[a-z]+$'],
      [/^\p{L}+$/u, '^\\p{L}+$'],
      [/[0-9]/, '[^]*(?:[0-9])[^]*'],
      [/^a|b$/, '[^]*(?:^a|b$)[^]*'],
      [/^[a-z]+$/i, undefined],
      [/^a$/m, undefined],
      [/^[a-z&&b]+$/, undefined],
      [/^[(]$/, undefined],
      [/^\-$/, undefined],
    ]
    for (const [expression, expected] of patterns) {
      const { short } = await fieldsOf(vine.object({ short: vine.string().regex(expression) }))
      assert.equal(short.attributes.pattern, expected, String(expression))
    }
  })

  test('[B17] if the schema transforms the text first, the field has no browser validation', async ({
    assert,
  }) => {
    const { short, long, count } = await fieldsOf(
      vine.object({
        short: vine.string().trim().maxLength(3).regex(/^a$/),
        long: vine.string().toUpperCase().minLength(3),
        count: vine
          .number()
          .parse((value) => value ?? 3)
          .min(2),
      })
    )
    assert.deepEqual(short.attributes, {})
    assert.deepEqual(long.attributes, {})
    assert.deepEqual(count.attributes, { step: 1 })
    assert.isFalse(count.required)
  })

  test('[B17] the fields of virtual columns are derived from the schema alone', async ({
    assert,
  }) => {
    const fields = await fieldsOf(
      vine.object({
        password_again: vine.string(),
        agreed: vine.accepted(),
        level: vine.number(),
        address: vine.object({ street: vine.string() }),
        since: vine.date(),
        parts: vine.array(vine.object({ name: vine.string() })),
        sizes: vine.array(vine.number()),
        kind: vine.string().in(['a', 'b']),
        photo: vine.file(),
      }),
      {
        virtualFields: [
          'password_again',
          'agreed',
          'level',
          'address',
          'since',
          'parts',
          'sizes',
          'kind',
          'photo',
        ],
      }
    )
    const widgets = Object.values(fields).map(({ name, widget }) => [name, widget])
    assert.deepEqual(widgets, [
      ['password_again', 'password'],
      ['agreed', 'checkbox'],
      ['level', 'number'],
      ['address', 'json'],
      ['since', 'date'],
      ['parts', 'json'],
      ['sizes', 'textarea'],
      ['kind', 'select'],
      ['photo', 'file'],
    ])
    assert.isTrue(fields.photo.takesFile)
    assert.equal(fields.sizes.valueType, 'number')
    assert.equal(fields.password_again.attributes.autocomplete, 'new-password')
  })
})

class Sketch extends BaseModel {
  static table = 'form_sketches'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare short: string

  @column()
  declare long: string

  @column()
  declare endless: string

  @column()
  declare count: number
}
