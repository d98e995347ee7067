import { test } from '@japa/runner'
import { keepUntouched } from '#admin/forms/submission/unchanged_fields'

/* As PostgreSQL's driver reads it: an object, whose text is not that of the table. */
const record = { data: { b: 1, a: [1] } } as any
const field = {
  name: 'data',
  column: { attribute: 'data', kind: 'json' },
  valueType: 'json',
  hidden: false,
} as any
const sent = (text: string) => ({ shown: { data: [text], name: ['x'] }, cleared: new Set() }) as any

test.group('Form values that were not changed', () => {
  const stored = (text: string) => {
    const values: Record<string, unknown> = { name: 'x', data: { b: 1, a: [1] } }
    keepUntouched([field], sent(text), record, values)
    return Object.keys(values)
  }

  test('[R13, B17] JSON that is submitted as it was shown is not written again', ({ assert }) => {
    const shown = '{\n  "b": 1,\n  "a": [\n    1\n  ]\n}'
    assert.deepEqual(stored(shown), ['name'])
    assert.deepEqual(stored(shown.replaceAll('\n', '\r\n')), ['name'])
    assert.deepEqual(stored('{"b":1,"a":[1]}'), ['name', 'data'])
  })
})
