import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { resources } from '#crud'
import { attributeToWire, toWire } from '#crud/values/to_api'
import { Sample } from '#tests/fixtures/samples'
import { Consignment } from '#tests/fixtures/writes'

const column = (name: string, model: unknown = Sample) =>
  resources
    .all()
    .find((resource) => resource.model === model)!
    .columns.find(name)!

test.group('Values on the wire', () => {
  test('[A20] {name}: what drivers and models give has one form')
    .with([
      { name: 'active', given: [true, 1, '1', 't', 'true'], wire: true },
      { name: 'active', given: [false, 0, '0', 'f', 'false'], wire: false },
      { name: 'count', given: [5, 5n, '5'], wire: 5 },
      { name: 'big', given: [9007199254740993n, '9007199254740993'], wire: '9007199254740993' },
      { name: 'big', given: ['9007199254740991'], wire: 9007199254740991 },
      { name: 'ratio', given: [1.5, '1.5000'], wire: 1.5 },
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
        wire: '2024-05-06 07:08:09',
      },
      {
        name: 'day',
        given: ['2024-05-06', '2024-05-06 00:00:00', DateTime.fromISO('2024-05-06')],
        wire: '2024-05-06',
      },
      { name: 'data', given: ['{"a":[1]}', { a: [1] }], wire: { a: [1] } },
      { name: 'data', given: ['no json'], wire: 'no json' },
      { name: 'data', given: ['{"n":9007199254740993}'], wire: { n: '9007199254740993' } },
      { name: 'bytes', given: [Buffer.from('AB')], wire: 'QUI=' },
      { name: 'name', given: [''], wire: '' },
    ])
    .run(({ assert }, { name, given, wire }) => {
      for (const value of given as unknown[]) {
        assert.deepEqual(toWire(column(name), value), wire)
      }
    })

  test('[A20] null and what is not there are null', ({ assert }) => {
    for (const name of ['name', 'count', 'active', 'moment', 'day', 'data', 'bytes']) {
      assert.isNull(toWire(column(name), null))
      assert.isNull(toWire(column(name), undefined))
    }
  })

  test('[A20] JSON that the model has read already is not read again', ({ assert }) => {
    assert.equal(toWire(column('content', Consignment), '5'), '5')
    assert.equal(toWire(column('data'), '5'), 5)
  })

  test("[A20] a column's own serialize wins", ({ assert }) => {
    const record = new Consignment()
    record.merge({ price: 1999, weight: 5 })
    assert.equal(attributeToWire(column('price', Consignment), record), 'EUR 19.99')
    assert.equal(attributeToWire(column('weight', Consignment), record), 5)
  })
})
