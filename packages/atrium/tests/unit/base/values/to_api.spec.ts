import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { resources } from '#crud'
import { attributeToApi, toApi } from '#base/values/to_api'
import { Sample } from '#tests/fixtures/samples'
import { Consignment } from '#tests/fixtures/writes'

const column = (name: string, model: unknown = Sample) =>
  resources
    .all()
    .find((resource) => resource.model === model)!
    .columns.find(name)!

test.group('Values in the API', () => {
  test('[A20] values of drivers and models are returned in one API format: {name}')
    .with([
      { name: 'active', given: [true, 1, '1', 't', 'true'], expected: true },
      { name: 'active', given: [false, 0, '0', 'f', 'false'], expected: false },
      { name: 'count', given: [5, 5n, '5'], expected: 5 },
      { name: 'big', given: [9007199254740993n, '9007199254740993'], expected: '9007199254740993' },
      { name: 'big', given: ['9007199254740991'], expected: 9007199254740991 },
      { name: 'ratio', given: [1.5, '1.5000'], expected: 1.5 },
      {
        name: 'moment',
        given: [
          '2024-05-06 07:08:09',
          '2024-05-06T07:08:09.000Z',
          '2024-05-06T09:08:09+02:00',
          new Date('2024-05-06T07:08:09Z'),
          DateTime.fromISO('2024-05-06T09:08:09+02:00', { setZone: true }),
          Date.parse('2024-05-06T07:08:09Z'),
        ],
        expected: '2024-05-06 07:08:09',
      },
      {
        name: 'day',
        given: ['2024-05-06', '2024-05-06 00:00:00', DateTime.fromISO('2024-05-06')],
        expected: '2024-05-06',
      },
      { name: 'day', given: [Infinity], expected: 'infinity' },
      { name: 'moment', given: [-Infinity], expected: '-infinity' },
      { name: 'active', given: [Buffer.from([1])], expected: true },
      { name: 'active', given: [Buffer.from([0])], expected: false },
      { name: 'count', given: [Buffer.from([1, 2])], expected: 258 },
      { name: 'data', given: ['{"a":[1]}', { a: [1] }], expected: { a: [1] } },
      { name: 'data', given: ['no json'], expected: 'no json' },
      { name: 'data', given: ['{"n":9007199254740993}'], expected: { n: '9007199254740993' } },
      { name: 'bytes', given: [Buffer.from('AB')], expected: 'QUI=' },
      { name: 'name', given: [''], expected: '' },
    ])
    .run(({ assert }, { name, given, expected }) => {
      for (const value of given as unknown[]) {
        assert.deepEqual(toApi(column(name), value), expected)
      }
    })

  test('[K5] a day that a driver returned as a Date is read in its local time zone', ({
    assert,
    cleanup,
  }) => {
    const { TZ } = process.env
    cleanup(() => {
      process.env.TZ = TZ
    })
    for (const zone of ['America/New_York', 'Asia/Tokyo', 'UTC']) {
      process.env.TZ = zone
      assert.equal(toApi(column('day'), new Date(2024, 4, 6)), '2024-05-06', zone)
    }
  })

  test('[A20] null and undefined become null in the API', ({ assert }) => {
    for (const name of ['name', 'count', 'active', 'moment', 'day', 'data', 'bytes']) {
      assert.isNull(toApi(column(name), null))
      assert.isNull(toApi(column(name), undefined))
    }
  })

  test('[A20] JSON that the model has already parsed is not parsed again', ({ assert }) => {
    assert.equal(toApi(column('content', Consignment), '5'), '5')
    assert.equal(toApi(column('data'), '5'), 5)
  })

  test('[A20] a column’s custom serialize takes precedence over the formats of the API', ({
    assert,
  }) => {
    const record = new Consignment()
    record.merge({ price: 1999, weight: 5 })
    assert.equal(attributeToApi(column('price', Consignment), record), 'EUR 19.99')
    assert.equal(attributeToApi(column('weight', Consignment), record), 5)
  })
})
