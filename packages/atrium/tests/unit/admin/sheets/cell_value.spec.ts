import { test } from '@japa/runner'
import { UnreadableText } from '#admin/text/errors'
import { type ValueOptions, valueOfCell } from '#admin/sheets/cell_value'
import type { Cell } from '#admin/sheets/file_shape'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'

function columnOf(kind: ColumnKind): Column {
  return { kind, isText: kind === 'text' || kind === 'uuid' } as Column
}

interface Example {
  kind: ColumnKind
  cell: Cell
  value: unknown
  options?: ValueOptions
}

const EXAMPLES: Example[] = [
  { kind: 'text', cell: ' 007 ', value: ' 007 ' },
  { kind: 'text', cell: '', value: '' },
  { kind: 'text', cell: true, value: 'true', options: { format: 'xlsx' } },
  { kind: 'text', cell: true, value: true, options: { format: 'json' } },
  { kind: 'integer', cell: '', value: null },
  { kind: 'integer', cell: null, value: null },
  { kind: 'integer', cell: '007', value: 7 },
  { kind: 'integer', cell: '5.0', value: 5 },
  { kind: 'number', cell: '1.50', value: 1.5 },
  { kind: 'integer', cell: '9223372036854775807', value: '9223372036854775807' },
  { kind: 'integer', cell: '-9223372036854775808', value: '-9223372036854775808' },
  { kind: 'integer', cell: '9007199254740991', value: 9007199254740991 },
  { kind: 'integer', cell: '9007199254740992', value: '9007199254740992' },
  { kind: 'integer', cell: '1234567890123456800', value: '1234567890123456800' },
  { kind: 'integer', cell: '1,234,567,890,123,456,800', value: '1234567890123456800' },
  { kind: 'integer', cell: 1234567890123456800, value: '1234567890123456800' },
  { kind: 'integer', cell: 1e21, value: 1e21 },
  { kind: 'integer', cell: '1.23457E+15', value: 1234570000000000 },
  { kind: 'integer', cell: '1.23457E+18', value: '1.23457E+18' },
  { kind: 'number', cell: '9007199254740992', value: 9007199254740992 },
  { kind: 'integer', cell: 'many', value: 'many' },
  { kind: 'number', cell: '-12.5', value: -12.5 },
  { kind: 'number', cell: '0.12345678901234567890', value: '0.1234567890123456789' },
  { kind: 'number', cell: '12,5', value: 12.5 },
  { kind: 'number', cell: '1.234.567,89', value: 1234567.89 },
  { kind: 'number', cell: '1.234.567', value: 1234567 },
  { kind: 'number', cell: '1,234,567.5', value: 1234567.5 },
  { kind: 'number', cell: '1,234', value: '1,234' },
  { kind: 'number', cell: '1e3', value: 1000 },
  { kind: 'boolean', cell: 'Yes', value: true },
  { kind: 'boolean', cell: 'nein', value: false },
  { kind: 'boolean', cell: 'FALSCH', value: false },
  { kind: 'boolean', cell: '2', value: '2' },
  { kind: 'date', cell: '2026-12-31', value: '2026-12-31' },
  { kind: 'date', cell: '31.12.2026', value: '2026-12-31' },
  { kind: 'date', cell: '12/31/2026', value: '2026-12-31' },
  { kind: 'text', cell: 1917, value: '1917', options: { format: 'json' } },
  { kind: 'date', cell: 'Jan 1 2000', value: '2000-01-01' },
  { kind: 'date', cell: 'March 31, 2024', value: '2024-03-31' },
  { kind: 'date', cell: 'Sunday, March 31st, 2024', value: '2024-03-31' },
  { kind: 'date', cell: '31-Mar-24', value: '2024-03-31' },
  { kind: 'date', cell: '31 Mar. 1968', value: '1968-03-31' },
  { kind: 'date', cell: '31-Mar-68', value: '1968-03-31' },
  { kind: 'date', cell: '31. März 2024', value: '2024-03-31' },
  { kind: 'date', cell: '1 de março de 2024', value: '2024-03-01' },
  { kind: 'date', cell: '2024-Mar-31', value: '2024-03-31' },
  { kind: 'date', cell: '20240331', value: '2024-03-31' },
  { kind: 'date', cell: '20240332', value: '20240332' },
  { kind: 'date', cell: '45382', value: '2024-03-31' },
  { kind: 'date', cell: '45382.5', value: '2024-03-31 12:00:00' },
  { kind: 'date', cell: '43920', value: '2024-03-31', options: { isFrom1904: true } },
  { kind: 'date', cell: '45382', value: '45382', options: { format: 'json' } },
  { kind: 'date', cell: '2024', value: '2024' },
  { kind: 'date', cell: '31/03/24', value: '2024-03-31' },
  { kind: 'date', cell: '24-03-31', value: '2024-03-31', options: { dateOrder: 'iso' } },
  { kind: 'date', cell: 'Foo 1 2000', value: 'Foo 1 2000' },
  { kind: 'date', cell: 'Feb 30 2024', value: 'Feb 30 2024' },
  { kind: 'date', cell: '3.4.2026', value: '2026-04-03' },
  { kind: 'date', cell: '5/5/2026', value: '2026-05-05' },
  { kind: 'datetime', cell: 'Mar 31, 2024 1:05 PM', value: '2024-03-31 13:05:00' },
  { kind: 'datetime', cell: 'Sun, 31 Mar 2024 10:30:00 GMT', value: '2024-03-31 10:30:00' },
  { kind: 'datetime', cell: '45382.4375', value: '2024-03-31 10:30:00' },
  {
    kind: 'datetime',
    cell: '45382.4375',
    value: '2024-03-31 08:30:00',
    options: { zone: 'Europe/Berlin', format: 'xlsx' },
  },
  {
    kind: 'datetime',
    cell: 'Sun, 31 Mar 2024 10:30:00 GMT',
    value: '2024-03-31 10:30:00',
    options: { zone: 'Europe/Berlin' },
  },
  { kind: 'date', cell: '3/4/2026', value: '2026-04-03', options: { dateOrder: 'dmy' } },
  { kind: 'date', cell: '3/4/2026', value: '2026-03-04', options: { dateOrder: 'mdy' } },
  { kind: 'date', cell: '31.12.2026', value: '31.12.2026', options: { dateOrder: 'mdy' } },
  { kind: 'date', cell: '30.02.2026', value: '30.02.2026' },
  { kind: 'date', cell: '2026-12-31 00:00:00', value: '2026-12-31' },
  { kind: 'date', cell: '2026-12-31 10:00:00', value: '2026-12-31 10:00:00' },
  { kind: 'datetime', cell: '2026-07-01 12:00:00', value: '2026-07-01 12:00:00' },
  { kind: 'datetime', cell: '1.7.2026 9:05', value: '2026-07-01 09:05:00' },
  { kind: 'datetime', cell: '7/31/2026, 1:05 PM', value: '2026-07-31 13:05:00' },
  { kind: 'datetime', cell: '2026-07-01T12:00:00+02:00', value: '2026-07-01 10:00:00' },
  {
    kind: 'datetime',
    cell: '2026-07-01 12:00',
    value: '2026-07-01 10:00:00',
    options: { zone: 'Europe/Berlin' },
  },
  { kind: 'datetime', cell: 'soon', value: 'soon' },
  { kind: 'time', cell: '9:05', value: '09:05' },
  { kind: 'time', cell: '12:30 a.m.', value: '00:30' },
  { kind: 'json', cell: '{"a":[12345678901234567890]}', value: { a: ['12345678901234567890'] } },
  { kind: 'json', cell: '"x"', value: 'x' },
  { kind: 'json', cell: '"x"', value: '"x"', options: { format: 'ndjson' } },
  { kind: 'json', cell: '', value: null },
  { kind: 'binary', cell: 'AAEC', value: 'AAEC' },
  { kind: 'uuid', cell: 'x', value: 'x' },
]

test.group('Cell values', () => {
  test('[D3] the {kind} cell {cell} is parsed as {value}')
    .with(EXAMPLES)
    .run(({ assert }, { kind, cell, value, options }) => {
      assert.deepEqual(valueOfCell(columnOf(kind), cell, options), value)
    })

  test('[D3] a value that is missing in a JSON row is undefined, not null', ({ assert }) => {
    assert.isUndefined(valueOfCell(columnOf('integer'), undefined))
    assert.equal(valueOfCell(undefined, '12'), '12')
  })

  test('[D3] an ambiguous date is refused: {$self}')
    .with(['3/4/2026', '3-4-2026', '24-03-31', '3/4/26 10:00'])
    .run(({ assert }, cell) => {
      for (const kind of ['date', 'datetime'] as const) {
        assert.throws(() => valueOfCell(columnOf(kind), cell), UnreadableText)
      }
    })

  test('[D3] a cell with invalid JSON, or with a time that does not exist in the zone, is refused', ({
    assert,
  }) => {
    const json = () => valueOfCell(columnOf('json'), '{"a":')
    const skipped = () =>
      valueOfCell(columnOf('datetime'), '2026-03-29 02:30', { zone: 'Europe/Berlin' })

    assert.throws(json, UnreadableText)
    assert.throws(skipped, UnreadableText)
  })
})
