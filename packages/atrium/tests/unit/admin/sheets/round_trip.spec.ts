import { test } from '@japa/runner'
import fc from 'fast-check'
import { FILE_FORMATS, type Cell } from '#admin/sheets/file_shape'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { runs } from '#tests/helpers/random_runs'
import { readFile, SheetFiles } from '#tests/helpers/sheet_files'

const NASTY = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    '\r',
    '\r\n',
    '\t',
    '""',
    "'",
    "'=1",
    "''＝",
    '=cmd|x',
    '-5',
    '007',
    '9007199254740993',
    '1234567890123456789',
    '0.12345678901234567890',
    '1e5',
    'a;b;c',
    'a\tb',
    'a|b',
    '_x0041_',
    '_x0041',
    'a_x000D_\r_x',
    '\u0000\u0001\u001F',
    '\uFFFE\uFFFF',
    '\uFEFFx',
    '\u202Eabc',
    '😀',
    '<a>&amp;]]>',
    '\u2028\u0085',
    'null',
    'true',
    '{"a":1}'
  )
)

const TABLE = fc.integer({ min: 2, max: 5 }).chain((columns) =>
  fc.record({
    columns: fc.uniqueArray(
      NASTY.filter((name) => name.trim() !== '' && name.isWellFormed()),
      { minLength: columns, maxLength: columns }
    ),
    rows: fc.array(
      fc
        .array(fc.option(NASTY.filter((text) => text.isWellFormed())), {
          minLength: columns - 1,
          maxLength: columns - 1,
        })
        .map((cells): Cell[] => ['key', ...cells]),
      { maxLength: 8 }
    ),
  })
)

test.group('Tables that are written and read again', (group) => {
  const files = new SheetFiles(group)

  for (const format of FILE_FORMATS) {
    test(`[D2, D3] every text is restored unchanged: ${format}`, async ({ assert }) => {
      await fc.assert(
        fc.asyncProperty(TABLE, fc.boolean(), async ({ columns, rows }, bom) => {
          fc.pre(rows.length > 0 || format === 'csv' || format === 'xlsx')
          const {
            shape,
            rows: read,
            error,
          } = await readFile(await files.table(format, rows, { columns, bom }))
          assert.isNull(error)
          assert.deepEqual(shape!.columns, columns)
          assert.deepEqual(
            read.map(({ cells }) => cells),
            rows
          )
          assert.deepEqual(shape!.samples, rows.slice(0, 5))
          assert.isFalse(shape!.isGuess)
        }),
        { numRuns: runs(100) }
      )
    })
  }
})
