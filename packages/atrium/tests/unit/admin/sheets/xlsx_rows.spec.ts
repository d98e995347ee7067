import { test } from '@japa/runner'
import { SheetFiles } from '#tests/helpers/sheet_files'
import { workbookOf, zipOf } from '#tests/helpers/zip_file'

const HEADING =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="str"><v>b</v></c></row>'

test.group('Reading XLSX files as tables', (group) => {
  const files = new SheetFiles(group)

  /** The rows of a sheet, or its error. */
  async function rowsOf(book: Parameters<typeof workbookOf>[0]) {
    return await files.read('t.xlsx', workbookOf({ ...book, rows: HEADING + book.rows }))
  }

  test('[D3] shared texts, rich texts without phonetic text, and character codes are read', async ({
    assert,
  }) => {
    const { rows } = await rowsOf({
      strings:
        '<si><t>one &amp; &#65;</t></si><si><r><t xml:space="preserve">two </t></r><r><t>runs</t></r><rPh><t>x</t></rPh></si><si><t/></si>',
      rows: '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row><row r="5"><c r="A5" t="s"><v>2</v></c><c r="B5" t="inlineStr"><is><t>a_x000D_b_x005F_x0041_</t></is></c></row>',
    })

    assert.deepEqual(rows, [
      { line: 2, cells: ['one & A', 'two runs'] },
      { line: 5, cells: ['', 'a\rb_x0041_'] },
    ])
  })

  test('[D3] formulas are read as their last results, and numbers with all their digits', async ({
    assert,
  }) => {
    const { rows } = await rowsOf({
      rows: '<row><c><f>1+1</f><v>2</v></c><c t="str"><f>"x"&amp;1</f><v>x1</v></c></row><row><c><v>1.1000000000000001</v></c><c><v>1E-7</v></c></row><row><c><v>1234567890123456789</v></c><c t="b"><v>1</v></c></row><row><c t="e"><v>#N/A</v></c><c><f>A1</f></c></row><row><c><v>1.23456789012345E+15</v></c><c><v>1.23456789012345E+18</v></c></row>',
    })

    assert.deepEqual(
      rows.map(({ cells }) => cells),
      [
        ['2', 'x1'],
        ['1.1', '0.0000001'],
        ['1234567890123456789', true],
        ['#N/A', null],
        ['1234567890123450', '1.23456789012345E+18'],
      ]
    )
  })

  test('[D3] an XLSX cell with an error or without a known value is reported with the name of the cell', async ({
    assert,
  }) => {
    const { rows } = await rowsOf({
      rows: '<row r="2"><c r="A2" t="e"><v>#N/A</v></c><c r="B2"><f>A1</f></c></row><row r="3"><c r="A3"><v>1234567890123456789</v></c><c r="B3"><v>1.23456789012345E+18</v></c></row><row r="4"><c r="A4"><f>B1</f></c></row><row r="5"><c r="A5" t="str"><f>""</f><v></v></c><c r="B5"><v>123456789012345</v></c></row>',
    })
    const errors = rows.map(({ cellErrors: cellErrors = [] }) =>
      cellErrors.map(({ index, isOfText, key, data }) => [index, isOfText, key, data.cell])
    )

    assert.deepEqual(errors, [
      [
        [0, false, 'sheets.errors.errorCell', 'A2'],
        [1, false, 'sheets.errors.uncalculated', 'B2'],
      ],
      [
        [0, true, 'sheets.errors.roundedCell', 'A3'],
        [1, true, 'sheets.errors.roundedCell', 'B3'],
      ],
      [[0, false, 'sheets.errors.uncalculated', 'A4']],
      [],
    ])
  })

  test('[D3] the first visible sheet is read, or the selected one', async ({ assert }) => {
    const row = (name: string) =>
      `<row r="1"><c t="str"><v>${name}</v></c></row><row r="2"><c t="str"><v>1</v></c></row>`
    const book = { rows: row('a'), second: row('b') }
    const columnsOf = async (bytes: Buffer, sheet?: string) => {
      const { error, shape } = await files.read('t.xlsx', bytes, { sheet })
      return shape?.columns ?? error!.key
    }
    const hidden = workbookOf({ ...book, states: ['state="hidden"', ''] })

    assert.deepEqual(await columnsOf(workbookOf(book)), ['a'])
    assert.deepEqual(await columnsOf(hidden), ['b'])
    assert.deepEqual(await columnsOf(hidden, 'A'), ['a'])
    assert.equal(await columnsOf(hidden, 'C'), 'sheets.errors.unknownSheet')
    assert.deepEqual(await columnsOf(workbookOf({ ...book, rows: '' })), ['b'])
    const { shape } = await files.read('t.xlsx', hidden)
    assert.deepEqual(shape!.sheets, [
      { name: 'A', isHidden: true },
      { name: 'B', isHidden: false },
    ])
  })

  test('[D3] the heading row is found below title rows with fewer cells', async ({ assert }) => {
    const cells = (...texts: string[]) =>
      texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')
    const rows = [['Sales'], ['a', 'b', 'c'], ['1', '2', '3'], ['4', '5', '6']]
    const xml = rows.map((row) => `<row>${cells(...row)}</row>`).join('')
    const found = await files.read('t.xlsx', workbookOf({ rows: xml }))

    assert.deepEqual(found.shape!.columns, ['a', 'b', 'c'])
    assert.deepEqual(found.rows[0], { line: 3, cells: ['1', '2', '3'] })
  })

  test('[D3] numbers with a date format are read as ISO dates and times', async ({ assert }) => {
    const styles = [0, 14, 22, 21, 164, 165, 166].map((id) => `<xf numFmtId="${id}"/>`).join('')
    const formats =
      '<numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="0.00&quot; days&quot;"/>'
    const cell = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`
    const rows = [cell(0, 46387) + cell(1, 46387), cell(2, 46387.5) + cell(3, 0.75)]
    const more = [cell(4, 46387.25) + cell(5, 1.5), cell(6, 5) + cell(1, 60)]
    const xml = [...rows, ...more].map((row) => `<row>${row}</row>`).join('')
    const { rows: read } = await rowsOf({ rows: xml, formats, styles })
    const old = await rowsOf({ rows: xml, formats, styles, properties: 'date1904="1"' })

    assert.deepEqual(
      read.map(({ cells }) => cells),
      [
        ['46387', '2026-12-31'],
        ['2026-12-31 12:00:00', '18:00:00'],
        ['2026-12-31 06:00:00', '1.5'],
        ['5', '1900-02-28'],
      ]
    )
    assert.equal(old.rows[0].cells[1], '2031-01-01')
  })

  test('[D3] a row with more cells than the heading is an error, and missing cells are empty', async ({
    assert,
  }) => {
    const { rows } = await rowsOf({
      rows: '<row r="2"><c r="A2"><v>1</v></c><c r="XFD2"><v>2</v></c></row><row r="3"><c r="B3"><v>3</v></c><c r="D3"/></row><row r="4"><c r="A4" s="0"/></row>',
    })

    assert.equal(rows[0].error?.key, 'sheets.errors.longRow')
    assert.deepEqual(rows.slice(1), [{ line: 3, cells: [null, '3'] }])
  })

  test('[D3] a sheet that is not XML, is too large or is truncated is refused with its row: {name}')
    .with([
      {
        name: 'doctype',
        prolog: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        key: 'sheet',
      },
      { name: 'order', rows: '<row r="3"/><row r="2"/>', key: 'sheet' },
      { name: 'open', rows: '<row r="2"><c>', key: 'sheet' },
      { name: 'string', rows: '<row r="2"><c t="s"><v>9</v></c></row>', key: 'sheet' },
      { name: 'column', rows: '<row r="2"><c r="XFE2"/></row>', key: 'sheetColumns' },
      { name: 'row', rows: '<row r="1048577"/>', key: 'sheetRows' },
    ])
    .run(async ({ assert }, { key, prolog, rows = '' }) => {
      const { error } = await rowsOf({ rows, prolog })
      assert.equal(error?.key, `sheets.errors.${key}`)
      assert.isNumber(error?.line)
    })

  test('[D3] an external entity does not read a file of the server', async ({ assert }) => {
    const { rows } = await rowsOf({ rows: '<row><c t="str"><v>&b;</v></c></row>' })

    assert.equal(rows[0].cells[0], '&b;')
  })

  test('[D3] a ZIP bomb is refused before it is unpacked', async ({ assert }) => {
    const { error } = await rowsOf({ rows: ' '.repeat(64 * 1024 * 1024) })

    assert.equal(error?.key, 'sheets.errors.bomb')
  })

  test('[D3] a file that is not XLSX, or only part of one, is refused: {name}')
    .with([
      { name: 'text', bytes: Buffer.from('a,b\n1,2\n'), key: 'zip' },
      { name: 'cut', bytes: workbookOf({ rows: HEADING }).subarray(0, -40), key: 'zip' },
      { name: 'other', bytes: zipOf({ 'content.xml': '<a/>' }), key: 'noSheet' },
      { name: 'old', bytes: Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), key: 'oldSheet' },
    ])
    .run(async ({ assert }, { bytes, key }) => {
      const { error } = await files.read('t.xlsx', bytes)
      assert.equal(error?.key, `sheets.errors.${key}`)
    })

  test('[D3] an XLSX file with a damaged part is refused', async ({ assert }) => {
    const { rows } = await files.read('t.xlsx', workbookOf({ rows: HEADING }))
    const bytes = workbookOf({ rows: HEADING })
    const checksum = bytes.indexOf('xl/worksheets/a.xml', bytes.indexOf('PK\x01\x02')) - 30
    bytes[checksum] ^= 1
    const { error } = await files.read('t.xlsx', bytes)

    assert.lengthOf(rows, 0)
    assert.equal(error?.key, 'sheets.errors.sheet')
  })

  test('[D3.F4] an error in a sheet contains the row: {name}')
    .with([
      { name: 'text', row: '<row r="5"><c t="s"><v>9</v></c></row>', line: 5 },
      { name: 'cell', row: '<row r="5"><c r="?"><v>1</v></c></row>', line: 5 },
      { name: 'end', row: '<row r="5"><c><v>1</v></c>', line: 5 },
      { name: 'between rows', row: '<row r="5"><c><v>1</v></c></row><row r="5"/>', line: 6 },
    ])
    .run(async ({ assert }, { line, row }) => {
      const rows = `<row r="1"><c t="str"><v>a</v></c></row><row r="4"><c><v>1</v></c></row>${row}`
      const { error } = await files.read('t.xlsx', workbookOf({ rows }))
      assert.equal(error?.line, line)
    })
})
