import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { compareData, lucidsDirty } from '#upstream/lucid_dirty_data'

class Parcel extends BaseModel {
  static table = 'parcels'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string | null

  @column()
  declare data: unknown

  @column.dateTime()
  declare sent: DateTime | null
}

compareData(Parcel)

/** A record as it is read from the database */
function stored(values: Partial<Record<'data' | 'name' | 'sent', unknown>>) {
  return Parcel.$createFromAdapterResult({ id: 1, ...values })!
}

const HOSTILE = { valueOf: 1, toString: 2, isDirty: false }

test.group('Detection of changes in JSON columns', () => {
  test('Lucid by itself still calls methods of a column’s data', ({ assert }) => {
    const parcel = stored({ data: { valueOf: 1 } })
    parcel.data = { valueOf: 2 }
    assert.throws(() => lucidsDirty!.call(parcel), /valueOf is not a function/)
  })

  test('data with keys that are names of methods is compared by its content', ({ assert }) => {
    const parcel = stored({ data: structuredClone(HOSTILE) })
    assert.isEmpty(parcel.$dirty)
    parcel.data = structuredClone(HOSTILE)
    assert.isEmpty(parcel.$dirty)
    parcel.data = { ...HOSTILE, valueOf: 2 }
    assert.deepEqual(parcel.$dirty, { data: parcel.data } as any)
    parcel.data = { isDirty: false }
    assert.isTrue(parcel.$isDirty)
  })

  test('data with names of methods as keys only in nested objects is compared by Lucid itself', ({
    assert,
  }) => {
    const parcel = stored({
      data: [1, { toString: 1 }],
      name: 'Lamp',
      sent: new Date('2030-01-02T03:04:05Z'),
    })
    parcel.sent = DateTime.fromJSDate(parcel.sent!.toJSDate())
    parcel.data = [1, { toString: 1 }]
    parcel.name = 'Sofa'
    assert.deepEqual(parcel.$dirty, { name: 'Sofa' })
    parcel.data = null
    assert.deepEqual(parcel.$dirty, { name: 'Sofa', data: null })
  })

  test('fill() resets columns that are not given', ({ assert }) => {
    const parcel = stored({ data: { a: 1 }, name: 'Lamp' })
    parcel.fill({ data: { a: 1 } })
    assert.deepEqual(Object.keys(parcel.$dirty).toSorted(), ['id', 'name'])
    parcel.$hydrateOriginals()
    parcel.fill({ name: 'Lamp' })
    assert.isNull(parcel.$dirty.data)
  })
})
