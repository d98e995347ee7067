import { randomBytes } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { test } from '@japa/runner'
import { exactNumber } from '#admin/sheets/reading/json_records'
import { inspectFile } from '#admin/sheets/inspect_file'
import { numeralOf } from '#admin/sheets/cell_value'
import { readFile, SheetFiles } from '#tests/helpers/sheet_files'
import { workbookOf } from '#tests/helpers/zip_file'

const HEADING = '<row r="1"><c t="inlineStr"><is><t>a</t></is></c></row>'

/* Each of them took minutes, or all memory of the process: now it is an error of the file, or its value, without delay. */
test.group('Malicious files', (group) => {
  const files = new SheetFiles(group)

  test('[D3] numerals with a million zeros are preserved as text', async ({ assert }) => {
    const zeros = '0'.repeat(1_000_000)
    for (const numeral of [`0.1${zeros}1`, `1${zeros}1`, `0.1${zeros}1e5`, `0,1${zeros}1`]) {
      assert.isTrue(numeralOf(numeral) === numeral)
    }
    assert.isTrue(exactNumber(`0.1${zeros}1`) === `0.1${zeros}1`)
  })

  test('[D3.F4] an excessively long number format is ignored', async ({ assert }) => {
    const formats = `<numFmt numFmtId="164" formatCode="${'['.repeat(1_000_000)}"/>`
    const { rows } = await files.read(
      't.xlsx',
      workbookOf({
        rows: `${HEADING}<row r="2"><c s="0"><v>5</v></c></row>`,
        formats,
        styles: '<xf numFmtId="164"/>',
      })
    )
    assert.deepEqual(rows, [{ line: 2, cells: ['5'] }])
  })

  test('[D3.F] a file with more columns than the limit is refused: {name}')
    .with([
      { name: 'wide.csv', content: `${'a,'.repeat(1000)}a\n1\n`, key: 'manyColumns' },
      { name: 'commas.csv', content: `${','.repeat(2_000_000)}\n1\n`, key: 'sheetColumns' },
      { name: 'row.csv', content: `a,b\n${','.repeat(2_000_000)}\n`, key: 'sheetColumns' },
      {
        name: 'wide.ndjson',
        content: `{${Array.from({ length: 1001 }, (_, at) => `"c${at}":1`).join(',')}}\n`,
        key: 'manyColumns',
      },
      { name: 'long.csv', content: `a,${'b'.repeat(1001)}\n1,2\n`, key: 'longName' },
    ])
    .run(async ({ assert }, { name, content, key }) => {
      const { error } = await files.read(name, content)
      assert.equal(error?.key, `sheets.errors.${key}`)
    })

  test('[D3.F] long values are shortened in the samples of a file, and complete in its rows', async ({
    assert,
  }) => {
    const long = 'x'.repeat(100_000)
    const objects = `${JSON.stringify({ a: long, b: { c: long }, d: { e: 1 } })}\n`
    const { rows, shape } = await files.read('t.ndjson', objects)

    const [[a, b, d]] = shape!.samples
    assert.isBelow(String(a).length, 1001)
    assert.isBelow(String(b).length, 1001)
    assert.deepEqual(d, { e: 1 })
    assert.equal(String(rows[0].cells[0]).length, 100_000)
  })

  test('[D3.F3] an object with millions of values is refused: {name}')
    .with([{ name: 't.json' }, { name: 't.ndjson' }])
    .run(async ({ assert }, { name }) => {
      const object = `{"a":[${'[],'.repeat(1_000_001)}1]}`
      const rows = ['{"a":1}', object]
      const text = name === 't.json' ? `[${rows.join()}]` : rows.join('\n')
      const { error } = await files.read(name, text)
      assert.equal(error?.key, 'sheets.errors.manyValues')
    })

  test('[D3.F4] XML that is nested without end, or has an unterminated value, is refused: {name}')
    .with([
      { name: 'depth', xml: () => '<a>'.repeat(1000) + '</a>'.repeat(1000), key: 'deepXml' },
      {
        name: 'value',
        xml: () => `<row r="2"><c><v>${randomBytes(3_500_000).toString('base64')}</v></c></row>`,
        key: 'bomb',
      },
    ])
    .run(async ({ assert }, { xml, key }) => {
      const { error } = await files.read('t.xlsx', workbookOf({ rows: HEADING + xml() }))
      assert.equal(error?.key, `sheets.errors.${key}`)
    })

  test('[D3.F4] several error cells with the same reference are reported once', async ({
    assert,
  }) => {
    const cell = '<c r="A2" t="e"><v>#N/A</v></c>'
    const { rows } = await files.read(
      't.xlsx',
      workbookOf({
        rows: `${HEADING}<row r="2">${cell.repeat(1000)}</row><row r="3">${cell}<c r="A3"><v>1</v></c></row>`,
      })
    )
    assert.lengthOf(rows[0].cellErrors!, 1)
    assert.deepEqual(rows[1], { line: 3, cells: ['1'] })
  })

  test('[D3.F4] a row of very many long values is refused', async ({ assert }) => {
    const value = `${randomBytes(8000).toString('hex')}${'x'.repeat(4_000_000)}`
    const cell = `<c t="str"><v>${value}</v></c>`
    const { error, rows } = await files.read(
      't.xlsx',
      workbookOf({ rows: `${HEADING}<row r="2">${cell}</row><row r="3">${cell.repeat(18)}</row>` })
    )
    assert.lengthOf(rows, 1)
    assert.equal(error?.key, 'sheets.errors.bomb')
  })

  test('[D3.F4] only the beginning of a sheet is read to find its columns', async ({ assert }) => {
    const noise = randomBytes(4 * 500_000).toString('hex')
    const rows = HEADING + noise.replaceAll(/.{8}/g, '<row><c/><c/><c/><!--$&--></row>')
    const path = await files.write('t.xlsx', workbookOf({ rows: `${rows}</row` }))
    const shape = await inspectFile(path, path)
    assert.deepEqual(shape.columns, ['a'])
  })

  test('[D3.F4] a table of shared texts that is too large is refused before it is read', async ({
    assert,
  }) => {
    const content = workbookOf({
      rows: HEADING,
      strings: `<!--${randomBytes(800_000).toString('hex')}-->`,
    })
    /* The directory at the end says that the part unpacks to 300 MB. */
    const name = content.lastIndexOf('xl/sharedStrings.xml')
    content.writeUInt32LE(300 * 1024 * 1024, name - 22)
    const { error } = await files.read('t.xlsx', content)
    assert.equal(error?.key, 'sheets.errors.bomb')
  })

  test('[D3.F4] the workbook file is closed after its sheets were listed', async ({ assert }) => {
    const path = await files.write('t.xlsx', workbookOf({ rows: HEADING, second: HEADING }))
    await readFile(path)
    const descriptors = await readdir('/proc/self/fd')
    const opened = await Promise.all(
      descriptors.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => ''))
    )
    assert.notInclude(opened, path)
  }).skip(process.platform !== 'linux', 'only Linux lists open files')

  test(
    '[D3.F] an image or a program with the name of a table is refused with an explanation: {$self}'
  )
    .with(['x.csv', 'x.txt', 'x.json'])
    .run(async ({ assert }, name) => {
      const { error } = await files.read(name, PICTURE)
      assert.equal(error?.key, 'sheets.errors.binary')
      const random = Buffer.from(
        Array.from({ length: 5000 }, (_, at) => (at * 7919 + at * at) % 256)
      )
      const other = await files.read(name, random)
      assert.equal(other.error?.key, 'sheets.errors.binary')
    })

  test('[D3.F] control characters in a text of a legacy encoding do not make the file binary', async ({
    assert,
  }) => {
    const line = Buffer.from('caf\xe9 cr\xe8me,5\r\n', 'latin1')
    const content = Buffer.concat([Buffer.from('name,n\r\n\0,1\r\n'), ...Array(50).fill(line)])
    const { error, rows } = await files.read('x.csv', content)
    assert.isNull(error)
    assert.lengthOf(rows, 51)
  })
})

/* A PNG of one pixel */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)
