import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import { test } from '@japa/runner'
import { resources, RuntimeError } from '#crud'
import type { Column } from '#base/columns/column'
import { ColumnSet } from '#base/columns/column_set'
import type { ColumnIntrospection } from '#base/database/introspection'
import { Sample } from '#tests/fixtures/samples'
import { Consignment, FixtureInvoice, Lead } from '#tests/fixtures/writes'

const INTROSPECTION: ColumnIntrospection = {
  sqlType: 'text',
  nullable: false,
  maxLength: null,
  hasDefault: false,
  generated: false,
  autoIncrement: false,
  unique: false,
  choices: null,
}

class Thing extends BaseModel {
  static table = 'things'

  @column({ isPrimary: true })
  declare id: number

  @column.date()
  declare day: DateTime

  @column({ meta: { kind: 'json' } })
  declare payload: unknown

  @column()
  declare any: unknown

  @column.dateTime({ autoUpdate: true })
  declare touched: DateTime
}

const thing = (name: string) => new ColumnSet(Thing).find(name)!

const loaded = (name: string, model: unknown = Sample) =>
  resources
    .all()
    .find((resource) => resource.model === model)!
    .columns.find(name)!

test.group('Columns', () => {
  test('[P7] the database determines the type of a column: {type} is {kind}')
    .with([
      { type: 'integer', kind: 'integer' },
      { type: 'bigint', kind: 'integer' },
      { type: 'tinyint', kind: 'integer' },
      { type: 'bigserial', kind: 'integer' },
      { type: 'float', kind: 'number' },
      { type: 'real', kind: 'number' },
      { type: 'decimal(12, 2)', kind: 'number' },
      { type: 'numeric(5)', kind: 'number' },
      { type: 'double precision', kind: 'number' },
      { type: 'boolean', kind: 'boolean' },
      { type: 'tinyint(1)', kind: 'boolean' },
      { type: 'date', kind: 'date' },
      { type: 'datetime', kind: 'datetime' },
      { type: 'timestamp with time zone', kind: 'datetime' },
      { type: 'time', kind: 'time' },
      { type: 'json', kind: 'json' },
      { type: 'jsonb', kind: 'json' },
      { type: 'blob', kind: 'binary' },
      { type: 'bytea', kind: 'binary' },
      { type: 'uuid', kind: 'uuid' },
      { type: 'char(36)', kind: 'uuid' },
      { type: 'varchar(36)', kind: 'text' },
      { type: 'text', kind: 'text' },
      { type: '', kind: 'text' },
    ])
    .run(({ assert }, { type, kind }) => {
      const any = thing('any')
      any.introspected({ ...INTROSPECTION, sqlType: type })
      assert.equal(any.kind, kind)
    })

  test('[P7] a declaration of the model overrides the type of the database', ({ assert }) => {
    for (const [name, kind] of [
      ['day', 'date'],
      ['payload', 'json'],
      ['touched', 'datetime'],
    ]) {
      const declared = thing(name)
      declared.introspected(INTROSPECTION)
      assert.equal(declared.kind, kind)
    }
  })

  test('[P6] a column has an attribute name, an API name and a column name', ({ assert }) => {
    const mail = loaded('emailAddress', Lead)
    assert.deepInclude(mail, { attribute: 'emailAddress', apiName: 'mail', name: 'email_address' })
    assert.strictEqual(loaded('mail', Lead), mail)
    assert.isFalse(mail.hidden)
    const secret = loaded('secret')
    assert.isTrue(secret.hidden)
    assert.equal(secret.apiName, 'secret')
  })

  test('[P7] null, length, default, key, choices and uniqueness come from the table', ({
    assert,
  }) => {
    assert.deepInclude(facts(loaded('name')), { nullable: false, maxLength: 20 })
    assert.deepInclude(facts(loaded('longText')), { nullable: true, maxLength: null })
    assert.deepInclude(facts(loaded('id')), { autoIncrement: true, hasDefault: true, unique: true })
    assert.deepInclude(facts(loaded('status')), {
      hasDefault: true,
      choices: ['draft', 'sent', 'paid'],
    })
    assert.isTrue(loaded('code').unique)
    /* Unique together with another one only */
    assert.isFalse(loaded('number', FixtureInvoice).unique)
    assert.isTrue(loaded('doublePrice', Consignment).generated)
    assert.isFalse(loaded('price', Consignment).generated)
  })

  test("[A20] columns with the model's own conversions are recognized", ({ assert }) => {
    const content = loaded('content', Consignment)
    assert.isTrue(content.preparesItself && content.consumesItself && content.needsHydration)
    assert.isDefined(loaded('price', Consignment).serialize)
    assert.isDefined(loaded('sentAt', Consignment).serialize)
    /* Lucid's own conversions do not count. */
    const moment = loaded('moment')
    assert.isUndefined(moment.serialize)
    assert.isFalse(moment.consumesItself || moment.needsHydration)
    assert.isTrue(moment.holdsDateTime)
    assert.isFalse(loaded('plainMoment').holdsDateTime)
    assert.isTrue(thing('touched').automatic)
    assert.isFalse(loaded('updatedAt').automatic)
  })

  test('[P15] reading a property from the database before the table was read is an error', ({
    assert,
  }) => {
    assert.throws(() => thing('any').kind, RuntimeError as any, /resources\.load/)
    assert.throws(() => thing('any').nullable, RuntimeError as any)
  })
})

function facts({ nullable, maxLength, hasDefault, autoIncrement, unique, choices }: Column) {
  return { nullable, maxLength, hasDefault, autoIncrement, unique, choices }
}
