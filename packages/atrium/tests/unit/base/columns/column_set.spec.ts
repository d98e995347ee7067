import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { RuntimeError, ValueError } from '#crud'
import { ColumnSet } from '#base/columns/column_set'

class Parcel extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column({ columnName: 'weight_in_grams' })
  declare weight: number

  @column({ serializeAs: 'to' })
  declare addressee: string

  /** Has the API name that is the attribute of another column */
  @column({ serializeAs: 'from' })
  declare sender: string

  @column({ serializeAs: 'sender_name' })
  declare from: string

  @column({ serializeAs: null })
  declare secretCode: string

  @column()
  declare isDeleted: boolean
}

test.group('ColumnSet', () => {
  const columns = new ColumnSet(Parcel)

  test('[P6] a name is looked up by attribute first, then by API name', ({ assert }) => {
    assert.equal(columns.find('addressee')!.attribute, 'addressee')
    assert.equal(columns.find('to')!.attribute, 'addressee')
    assert.equal(columns.find('is_deleted')!.attribute, 'isDeleted')
    assert.equal(columns.find('isDeleted')!.attribute, 'isDeleted')
    assert.equal(columns.find('from')!.attribute, 'from')
    assert.equal(columns.find('sender')!.attribute, 'sender')
    assert.isUndefined(columns.find('weight_in_grams'))
    assert.isUndefined(columns.find('nothing'))
  })

  test('[P6] the API name is serializeAs, or else in snake_case', ({ assert }) => {
    assert.deepEqual(
      columns.all.map((one) => one.apiName),
      ['id', 'weight', 'to', 'from', 'sender_name', 'secret_code', 'is_deleted']
    )
  })

  test('[A2] hidden columns are not among the visible columns of a model', ({ assert }) => {
    const names = columns.visible.map((one) => one.attribute)
    assert.notInclude(names, 'secretCode')
    assert.lengthOf(names, columns.all.length - 1)
  })

  test('[S4] an option can name a column by any of its names, and has a default', ({ assert }) => {
    const of = (setting: string | undefined) =>
      columns.fromSetting('isDeletedColumn', setting, 'is_deleted')?.attribute
    assert.equal(of(undefined), 'isDeleted')
    assert.equal(of('weight_in_grams'), 'weight')
    assert.equal(of('to'), 'addressee')
    assert.equal(of('secretCode'), 'secretCode')
    assert.isUndefined(columns.fromSetting('updatedAtColumn', undefined, 'updated_at'))
  })

  test('[P9] an option with an unknown column lists the known ones', ({ assert }) => {
    assert.throws(
      () => columns.fromSetting('isDeletedColumn', 'gone', 'is_deleted'),
      ValueError as any
    )
    assert.throws(
      () => columns.fromSetting('isDeletedColumn', 'gone', 'is_deleted'),
      /^Parcel: isDeletedColumn names 'gone'.*id, weight, to, from, sender_name/
    )
  })

  test('[P9] two columns with the same API name are an error', ({ assert }) => {
    class Clash extends BaseModel {
      @column({ isPrimary: true })
      declare id: number

      @column()
      declare name: string

      @column({ serializeAs: 'name' })
      declare title: string
    }
    assert.throws(() => new ColumnSet(Clash), ValueError as any)
    assert.throws(() => new ColumnSet(Clash), /^Clash: the columns name and title .* 'name'/)
  })

  test('[P15] reading properties from the database before the introspection is an error', ({
    assert,
  }) => {
    const facts = [
      'kind',
      'nullable',
      'maxLength',
      'hasDefault',
      'defaultText',
      'autoIncrement',
      'unique',
      'choices',
      'isText',
    ] as const
    const fresh = new ColumnSet(Parcel).find('weight')!
    for (const fact of facts) {
      assert.throws(() => fresh[fact], RuntimeError as any)
      assert.throws(
        () => fresh[fact],
        "Nothing is known yet of Parcel's column weight_in_grams: await resources.load() first"
      )
    }
  })
})
