import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { hasOwnConsume, hasOwnSerialize, storeWholeSeconds } from '#base/lucid/column_functions'

class Visit extends BaseModel {
  static table = 'visits'

  @column.dateTime()
  declare begun: DateTime

  @column.dateTime()
  declare ended: DateTime

  @column.dateTime({ serialize: (value) => value, consume: (value) => value })
  declare own: DateTime
}

const of = (name: string) => Visit.$getColumn(name)!

test.group('Default functions of Lucid columns', () => {
  test('Lucid by itself still creates a new serialize function for each column without marking it', ({
    assert,
  }) => {
    assert.notStrictEqual(of('begun').serialize, of('ended').serialize)
    assert.deepEqual(Object.keys(of('begun').meta), Object.keys(of('own').meta))
  })

  test('Lucid’s default functions are distinguished from those of the model', ({ assert }) => {
    assert.isFalse(hasOwnSerialize(of('begun')))
    assert.isFalse(hasOwnConsume(of('begun')))
    assert.isTrue(hasOwnSerialize(of('own')))
    assert.isTrue(hasOwnConsume(of('own')))
  })

  test('[A20] datetimes are stored in the format of the function that is set for the model', ({
    assert,
  }) => {
    storeWholeSeconds(Visit, () => 'written')
    const write = (value: unknown) => of('begun').prepare!(value, 'begun', new Visit())
    assert.equal(write(DateTime.now()), 'written')
    assert.isNull(write(null))
  })
})
