import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { RuntimeError, ValueError } from '#crud'
import { ColumnSet } from '#crud/resource/column_set'

class Parcel extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column({ columnName: 'weight_in_grams' })
  declare weight: number

  @column({ serializeAs: 'to' })
  declare addressee: string

  /** Called on the wire what another column is called in the model */
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

  test('[P6] columns are found by attribute or by wire name, the attribute first', ({ assert }) => {
    assert.equal(columns.find('addressee')!.attribute, 'addressee')
    assert.equal(columns.find('to')!.attribute, 'addressee')
    assert.equal(columns.find('is_deleted')!.attribute, 'isDeleted')
    assert.equal(columns.find('isDeleted')!.attribute, 'isDeleted')
    assert.equal(columns.find('from')!.attribute, 'from')
    assert.equal(columns.find('sender')!.attribute, 'sender')
    assert.isUndefined(columns.find('weight_in_grams'))
    assert.isUndefined(columns.find('nothing'))
  })

  test("[P6] the wire's name is serializeAs, else snake_case", ({ assert }) => {
    assert.deepEqual(
      columns.all.map((one) => one.wire),
      ['id', 'weight', 'to', 'from', 'sender_name', 'secret_code', 'is_deleted']
    )
  })

  test('[A2] hidden columns are not visible', ({ assert }) => {
    const names = columns.visible.map((one) => one.attribute)
    assert.notInclude(names, 'secretCode')
    assert.lengthOf(names, columns.all.length - 1)
  })

  test('[S4] a setting names a column in any way, and the usual one is the default', ({
    assert,
  }) => {
    const of = (setting: string | undefined) =>
      columns.fromSetting('isDeletedColumn', setting, 'is_deleted')?.attribute
    assert.equal(of(undefined), 'isDeleted')
    assert.equal(of('weight_in_grams'), 'weight')
    assert.equal(of('to'), 'addressee')
    assert.equal(of('secretCode'), 'secretCode')
    assert.isUndefined(columns.fromSetting('updatedAtColumn', undefined, 'updated_at'))
  })

  test('[P9] a setting that names no column says which there are', ({ assert }) => {
    assert.throws(
      () => columns.fromSetting('isDeletedColumn', 'gone', 'is_deleted'),
      ValueError as any
    )
    assert.throws(
      () => columns.fromSetting('isDeletedColumn', 'gone', 'is_deleted'),
      /^Parcel: isDeletedColumn names 'gone'.*id, weight, to, from, sender_name/
    )
  })

  test('[P9] two columns of one name on the wire are a mistake', ({ assert }) => {
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

  test('[P15] what only the database knows is not there before it was asked', ({ assert }) => {
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
