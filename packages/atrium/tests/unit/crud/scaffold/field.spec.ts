import { faker } from '@faker-js/faker'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { ValueError } from '#crud'
import { parseField, parseFields, type Field } from '#crud/scaffold/field'
import { FieldCode } from '#crud/scaffold/field_code'
import { FIELD_TYPES } from '#crud/scaffold/field_types'

/** Field definitions and their parsed form. */
const READ: Array<[text: string, expected: object]> = [
  ['title', { name: 'title', type: 'string', parameters: ['255'] }],
  ['number:string:unique', { unique: true, nullable: false, index: false }],
  ['total:decimal', { type: 'decimal', parameters: ['12', '2'] }],
  ['total:decimal(5)', { parameters: ['5', '0'] }],
  ['total: decimal( 5 , 3 )', { parameters: ['5', '3'] }],
  ['paid_at:datetime?', { name: 'paid_at', attribute: 'paidAt', nullable: true }],
  ['paidAt:DateTime', { name: 'paid_at', attribute: 'paidAt', type: 'datetime' }],
  ['paid_at:datetime?:index', { nullable: true, index: true }],
  ['paid_at:datetime:index?', { nullable: true, index: true }],
  ['paid_at:datetime:nullable', { nullable: true }],
  ['name:string(80)?', { parameters: ['80'], nullable: true }],
  ['line2:string', { name: 'line2', attribute: 'line2' }],
  ['state:enum(draft, in progress)', { type: 'enum', parameters: ['draft', 'in progress'] }],
  ['state:enum(a,b):default(b)', { default: "'b'" }],
  ['photo:file', { type: 'file', nullable: true }],
  ['count:integer:default(-7)', { default: '-7' }],
  ['ratio:decimal(4,2):default(0.50)', { default: '0.5' }],
  ['active:boolean:default(true)', { default: 'true' }],
  ["name:string:default(it's)", { default: String.raw`'it\'s'` }],
  [
    'customer_id:belongsTo',
    {
      name: 'customer_id',
      attribute: 'customerId',
      relation: { name: 'customer', model: 'Customer' },
    },
  ],
  [
    'customer:belongs_to',
    { name: 'customer_id', relation: { name: 'customer', model: 'Customer' } },
  ],
  ['author_id:belongsTo(user)?', { relation: { name: 'author', model: 'User' }, nullable: true }],
  ['order_line_id:belongsTo', { relation: { name: 'orderLine', model: 'OrderLine' } }],
]

const REFUSED: Array<[text: string, message: string]> = [
  ['', "'' is not a field: it begins with a name"],
  ['2nd:string', 'is not a field'],
  ['a b:string', 'is not a field'],
  ['$attributes:string', 'is not a field'],
  ['__proto__:string', 'is not a field'],
  ["a');--:string", 'is not a field'],
  [
    'a:',
    "a: '' can't be read; a field is name:type, then nullable, unique, index and default(VALUE)",
  ],
  ['a:string(80', "'string(80' can't be read"],
  [
    'a:strnig',
    "a: there is no type 'strnig'; types are string(255), text, integer, bigint, decimal(12,2)",
  ],
  ['a:string:uniq', "a: there is no 'uniq'; after the type may stand nullable, unique, index"],
  ['a:string:unique(1)', "there is no 'unique(1)'"],
  ['a:string:default', "there is no 'default'"],
  ['a:string:default(x):default(y)', "there is no 'default(y)'"],
  ['a:string:hasOwnProperty', "there is no 'hasOwnProperty'"],
  ['a:string(0)', "a string's length is a number from 1 to 16383"],
  ['a:string(1e3)', "a string's length is a number"],
  ['a:string(80,90)', "a string's length is a number"],
  ['a:decimal(16,2)', 'a decimal has 1 to 15 digits'],
  ['a:decimal(2,3)', 'not more of them behind the point'],
  ['a:integer(5)', 'this type takes nothing in parentheses'],
  ['a:enum', 'an enum lists its values'],
  ['a:enum()', 'an enum lists its values'],
  ['a:enum(x,x)', 'each once'],
  ["a:enum(x')", 'of letters, digits, spaces'],
  ['a:belongsTo(A,B)', 'a belongsTo names one model'],
  ['a:text:unique', "a field of type text can't be unique"],
  ['a:boolean:unique', "a field of type boolean can't be unique"],
  ['a:json:index', "a field of type json can't have an index"],
  ['a:string:unique:index', 'what is unique has an index already'],
  ['a:text:default(x)', "a field of type text can't have a default"],
  ['a:string(2):default(abc)', "'abc' can't be the default of string(255)"],
  ['a:integer:default(1.5)', "'1.5' can't be the default of integer"],
  ['a:boolean:default(yes)', "'yes' can't be the default of boolean"],
  ['a:enum(x,y):default(z)', "'z' can't be the default of enum(a,b)"],
  ['a:decimal(3,1):default(123)', "'123' can't be the default"],
  [`a${'x'.repeat(40)}:string`, 'the name has more than 40 characters'],
  ['id:uuid', "id can't be a field: every model has it"],
  ['created_at:date', "created_at can't be a field"],
  ['updatedAt:date', "updated_at can't be a field"],
  ['deleted_at:datetime', 'use --soft-deletes'],
  ['is_deleted:boolean', 'use --soft-deletes'],
  ['class:string', "class can't be a field: it is a word of JavaScript"],
  ['delete:boolean', 'it is a word of JavaScript'],
  ['save:boolean', 'every Lucid model has a member save'],
  ['to_string:string', 'every Lucid model has a member toString'],
  ['constructor', 'every Lucid model has a member constructor'],
]

function summary({ type, ...rest }: Field) {
  return { ...rest, type: type.name }
}

function parsed(text: string): Field | undefined {
  try {
    return parseField(text)
  } catch (error) {
    if (error instanceof ValueError) return undefined
    throw error
  }
}

/** Texts that are mostly valid field definitions. */
const fieldText = fc
  .record({
    name: fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,8}$/),
    type: fc.constantFrom(
      'string',
      'string(7)',
      'string(1)',
      'decimal(6,3)',
      'decimal(2,2)',
      'decimal(1)',
      'enum(draft,in progress,x-1)',
      ...FIELD_TYPES.filter(({ name }) => !['enum', 'belongsTo'].includes(name)).map(
        ({ name }) => name
      )
    ),
    mark: fc.constantFrom('', '?', ':nullable'),
    modifier: fc.constantFrom('', ':unique', ':index', ':default(1)', ':default(true)'),
  })
  .map(({ name, type, mark, modifier }) => `${name}:${type}${mark}${modifier}`)

test.group('parseField()', () => {
  test('[P12] the field {0} is parsed')
    .with(READ)
    .run(({ assert }, [text, expected]) => {
      assert.containsSubset(summary(parseField(text)), expected)
    })

  test('[P12] the field {0} is refused')
    .with(REFUSED)
    .run(({ assert }, [text, message]) => {
      assert.throws(() => parseField(text), ValueError as any, message)
    })

  test('[P12] any text is parsed to a field, or is an error with a reason', ({ assert }) => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'ab1_:(),?\'"`$\\ \n') }),
      fieldText
    )
    fc.assert(
      fc.property(text, (one) => {
        const field = parsed(one)
        if (!field) return
        assert.match(field.name, /^[a-z][a-z0-9_]*$/)
        assert.match(field.attribute, /^[a-z][a-zA-Z0-9]*$/)
      })
    )
  })

  test('[P12] the generated code of any field runs, and its schema accepts the values of its factory', async ({
    assert,
  }) => {
    const run = (names: string[], code: string, ...values: unknown[]) =>
      new Function(...names, `return ${code}`)(...values)
    await fc.assert(
      fc.asyncProperty(fieldText, async (text) => {
        const field = parsed(text)
        if (!field) return
        const code = new FieldCode(field)
        run(['table'], `() => ${code.column}`)
        const fake = `({ ${code.fake!.replace(' as const', '')} })`
        const made = run(['faker', 'DateTime'], fake, faker, DateTime)[field.attribute]
        const format = field.type.name === 'date' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss'
        const sent = DateTime.isDateTime(made) ? made.toFormat(format) : made
        const schema = vine.object(run(['vine'], `({ ${code.rule} })`, vine))
        const output = await vine.validate({ schema, data: { [field.name]: sent } })
        assert.property(output, field.name)
      })
    )
  })
})

test.group('parseFields() with relations', () => {
  test('[P12] relations are returned separately from the fields')
    .with([
      [
        'items:hasMany(InvoiceItem)',
        { name: 'items', attribute: 'items', kind: 'hasMany', model: 'InvoiceItem' },
      ],
      [
        'line_items:has_many',
        { name: 'line_items', attribute: 'lineItems', kind: 'hasMany', model: 'LineItem' },
      ],
      ['cover:hasOne', { name: 'cover', attribute: 'cover', kind: 'hasOne', model: 'Cover' }],
      [
        'tags:manyToMany( Tag )',
        { name: 'tags', attribute: 'tags', kind: 'manyToMany', model: 'Tag' },
      ],
    ] as const)
    .run(({ assert }, [text, expected]) => {
      const { fields, relations } = parseFields(['name', text])
      assert.lengthOf(fields, 1)
      assert.deepEqual(relations, [expected])
    })

  test('[P12] an invalid relation is a ValueError with the valid forms')
    .with([
      [
        ['a', 'items:hasMany(A,B)'],
        /items: a hasMany names one model, as in items:hasMany\(InvoiceItem\)/,
      ],
      [['a', 'items:hasMany(A)?'], /items: a hasMany is not a column, so nothing can follow/],
      [['a', 'items:hasMany(A):unique'], /items: a hasMany is not a column/],
      [['a', 'class:hasMany(A)'], /class can't be a field/],
      [['a', 'a:hasMany(B)'], /a is there twice/],
      [['items:hasMany(A)'], /items is not a column: a model needs one in addition/],
      [['a', '1:hasMany'], /'1:hasMany' is not a field/],
      [
        ['a:nothing'],
        /belongsTo\(Model\), hasMany\(Model\), hasOne\(Model\) and manyToMany\(Model\)/,
      ],
    ] as Array<[string[], RegExp]>)
    .run(({ assert }, [texts, message]) => {
      assert.throws(() => parseFields(texts), ValueError as any, message)
    })
})

test.group('parseFields()', () => {
  test('[P12] duplicate names are refused, including relations')
    .with([
      [['a', 'a:integer'], 'a is there twice'],
      [['paid_at:date', 'paidAt:date'], 'paidAt is there twice'],
      [['line2', 'line_2'], 'line2 is there twice'],
      [['customer', 'customer_id:belongsTo'], 'customer is there twice'],
      [['customer:belongsTo', 'customer_id:integer'], 'customerId is there twice'],
    ] as Array<[string[], string]>)
    .run(({ assert }, [texts, message]) => {
      assert.throws(() => parseFields(texts), ValueError as any, message)
    })

  test('[P12] the order of fields is preserved', ({ assert }) => {
    assert.deepEqual(
      parseFields(['b', 'a:text', 'c:belongsTo']).fields.map(({ name }) => name),
      ['b', 'a', 'c_id']
    )
  })
})
