import { test } from '@japa/runner'
import { resources } from '#crud'
import { fromQuery, readUuid } from '#base/values/from_query'
import { Sample } from '#tests/fixtures/samples'

const read = (name: string, text: string) => {
  const { columns } = resources.all().find((resource) => resource.model === Sample)!
  return fromQuery(columns.find(name)!, text)
}

test.group('Values of paths and queries', () => {
  test('[A16] the text "{text}" is a valid value of the column {name}')
    .with([
      { name: 'name', text: ' as it is ', value: ' as it is ' },
      { name: 'count', text: '-5', value: -5 },
      { name: 'big', text: '9007199254740993', value: '9007199254740993' },
      { name: 'ratio', text: '1.50', value: 1.5 },
      { name: 'active', text: 'false', value: false },
      { name: 'active', text: '0', value: false },
      { name: 'active', text: 'TRUE', value: true },
      { name: 'active', text: '1', value: true },
      { name: 'day', text: '2024-02-29', value: '2024-02-29' },
      { name: 'moment', text: '2024-05-06T01:00:00+01:00', value: '2024-05-06 00:00:00' },
      { name: 'clock', text: '07:08', value: '07:08:00' },
    ])
    .run(({ assert }, { name, text, value }) => {
      assert.strictEqual(read(name, text), value)
    })

  test('[A16] the text "{text}" is not a valid value of the column {name}')
    .with([
      { name: 'count', text: '' },
      { name: 'count', text: '1.5' },
      { name: 'count', text: '9223372036854775808' },
      { name: 'ratio', text: '1e3' },
      { name: 'active', text: 'yes' },
      { name: 'active', text: 'no' },
      { name: 'day', text: '2024-02-30' },
      { name: 'moment', text: 'now' },
      { name: 'clock', text: '25:00' },
      { name: 'token', text: 'abc' },
      { name: 'data', text: '{}' },
      { name: 'bytes', text: 'QUI=' },
    ])
    .run(({ assert }, { name, text }) => {
      assert.isNull(read(name, text))
    })

  test('[A8] a text with a NUL character is not valid for any column', ({ assert }) => {
    for (const name of ['name', 'count', 'moment']) assert.isNull(read(name, '5\0'))
  })

  test('[A9] a UUID is accepted in upper and lower case, and in no other notation', ({
    assert,
  }) => {
    const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    assert.equal(readUuid(uuid.toUpperCase()), uuid)
    for (const text of [
      `{${uuid}}`,
      uuid.replaceAll('-', ''),
      `${uuid}0`,
      uuid.replace('3', 'g'),
    ]) {
      assert.isNull(readUuid(text))
    }
  })
})
