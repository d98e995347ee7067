import { test } from '@japa/runner'
import { ReadingLimit } from '#admin/jobs/job_errors'
import { inspectFile } from '#admin/sheets/inspect_file'
import { readRows } from '#admin/sheets/read_rows'
import { SAMPLED } from '#admin/sheets/file_shape'
import { SheetFiles } from '#tests/helpers/sheet_files'

const BEYOND = SAMPLED.bytes + 200_000
const long = 'x'.repeat(BEYOND)

test.group('Reading the beginning of a file', (group) => {
  const files = new SheetFiles(group)

  test('[D3] columns are found without reading the rest of the file: {name}')
    .with([
      { name: 'empty.csv', text: `a,b\n${',\n'.repeat(BEYOND / 2)}1,2\n`, samples: [] },
      { name: 'blank.csv', text: `a,b\n${'\n'.repeat(BEYOND)}1,2\n`, samples: [] },
      { name: 'long.csv', text: `a,b\n1,2\n3,"${long}"\n4,"`, samples: [['1', '2']] },
      { name: 'long.ndjson', text: `{"a":1}\n{"a":"${long}"}\n{`, samples: [[1]] },
      { name: 'long.json', text: `[{"a":1},{"a":"${long}"},{`, samples: [[1]] },
      { name: 'blank.ndjson', text: `{"a":1}\n${'\n'.repeat(BEYOND)}{`, samples: [[1]] },
    ])
    .run(async ({ assert }, { name, text, samples }) => {
      const shape = await inspectFile(await files.write(name, text), name)
      assert.deepEqual(shape.samples, samples)
    })

  test('[D3] a first row that is longer than the sample is refused: {name}')
    .with([
      { name: 'line.csv', text: long },
      { name: 'line.ndjson', text: `{"a":"${long}"}` },
      { name: 'line.json', text: `[{"a":"${long}"}]` },
    ])
    .run(async ({ assert }, { name, text }) => {
      const path = await files.write(name, text)
      await assert.rejects(() => inspectFile(path, name), 'sheets.errors.longRecord')
    })

  test('[D3] reading stops with an error at the line beyond the maximum number of rows: {name}')
    .with([
      { name: 'rows.csv', text: 'a\n1\n2\n3\n4\n', line: 5 },
      { name: 'rows.csv', text: 'a,b\n1,2\n,\n,\n,\n', line: 5 },
      { name: 'rows.ndjson', text: '{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n', line: 4 },
      { name: 'rows.json', text: '[{"a":1},{"a":2},{"a":3},{"a":4}]', line: 4 },
    ])
    .run(async ({ assert }, { name, text, line }) => {
      const path = await files.write(name, text)
      const shape = await inspectFile(path, name)
      const error = await Array.fromAsync(readRows(path, shape, { rows: 3 })).catch((one) => one)
      assert.instanceOf(error, ReadingLimit)
      assert.equal(error.line, line)
      assert.isNotEmpty(await Array.fromAsync(readRows(path, shape, { rows: 4 })))
    })

  test('[D3] reading a sheet stops with an error at its maximum number of rows', async ({
    assert,
  }) => {
    const rows = [['1'], ['2'], ['3'], ['4']]
    const path = await files.table('xlsx', rows, { columns: ['a'] })
    const shape = await inspectFile(path, 'table.xlsx')
    await assert.rejects(() => Array.fromAsync(readRows(path, shape, { rows: 3 })))
    assert.lengthOf(await Array.fromAsync(readRows(path, shape, { rows: 4 })), 4)
  })
})
