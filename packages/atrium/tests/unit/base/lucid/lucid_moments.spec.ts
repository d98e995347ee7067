import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { DateTime } from 'luxon'
import { withQuickMoments } from '#base/lucid/lucid_moments'

class Meeting extends BaseModel {
  @column()
  declare name: string

  @column.dateTime({ columnName: 'begins' })
  declare start: DateTime | null

  @column.dateTime({ consume: (value: string) => `${value}!` })
  declare end: any

  @column.date()
  declare day: DateTime
}

test.group('Lucid datetimes of model instances', () => {
  test('[A20] model instances read with withQuickMoments have the same datetimes as those of Lucid', ({
    assert,
  }) => {
    for (const begins of [
      '2024-05-06 07:08:09',
      '2024-02-30 00:00:00',
      '2024-05-06T07:08:09Z',
      null,
    ]) {
      const row = { name: begins, begins, end: begins, day: '2024-05-06' }
      const quick = Meeting.$createFromAdapterResult(withQuickMoments(Meeting, { ...row }))!
      const usual = Meeting.$createFromAdapterResult(row)!
      assert.deepEqual(quick.start?.toISO(), usual.start?.toISO())
      assert.equal(quick.start?.zoneName, usual.start?.zoneName)
      assert.deepEqual([quick.name, quick.end, quick.day], [usual.name, usual.end, usual.day])
    }
  })
})
