import { test } from '@japa/runner'
import iconv from 'iconv-lite'
import { QuoteScanner } from '#admin/sheets/reading/csv_records'
import { SheetFiles } from '#tests/helpers/sheet_files'

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

test.group('Reading files as tables', (group) => {
  const files = new SheetFiles(group)

  test('[D3] the delimiter is detected: {name}')
    .with([
      { name: 'comma', delimiter: ',', text: 'id,a;b\n1,"x;y;z"\n2,y' },
      { name: 'semicolon', delimiter: ';', text: 'id;a\n1;1,5\n2;2,5\n' },
      { name: 'tab', delimiter: '\t', text: 'id\ta\n1\tx, y, z\n' },
      { name: 'bar', delimiter: '|', text: 'id|a\n1|x;y,z\n' },
      { name: 'none', delimiter: ',', text: 'sku\n1\n2\n' },
    ])
    .run(async ({ assert }, { delimiter, text }) => {
      const { shape } = await files.read('table.csv', text)
      assert.equal(shape!.delimiter, delimiter)
    })

  test('[D3] the encoding is detected: {encoding}, {how}')
    .with([
      { encoding: 'utf-8', how: 'plain', bytes: Buffer.from('a,b\n1,ä€😀\n') },
      { encoding: 'utf-8', how: 'with a mark', bytes: Buffer.from('\uFEFFa,b\n1,ä€😀\n') },
      { encoding: 'utf-16le', how: 'with a mark', bytes: utf16('\uFEFFa,b\n1,ä€😀\n') },
      { encoding: 'utf-16le', how: 'plain', bytes: utf16('a,b\n1,ä€😀\n'), isGuess: true },
      { encoding: 'utf-16be', how: 'with a mark', bytes: utf16('\uFEFFa,b\n1,ä€😀\n').swap16() },
      { encoding: 'utf-16be', how: 'plain', bytes: utf16('a,b\n1,ä€😀\n').swap16(), isGuess: true },
    ])
    .run(async ({ assert }, { encoding, bytes, isGuess = false }) => {
      const { rows, shape } = await files.read('table.csv', bytes)
      assert.deepInclude(shape!, { encoding, isGuess, columns: ['a', 'b'] })
      assert.deepEqual(rows[0].cells, ['1', 'ä€😀'])
    })

  test('[D3] a text that is not Unicode is read as Windows-1252, and marked as a guess', async ({
    assert,
  }) => {
    const bytes = iconv.encode('name;price\nMüller;5 €\n„Größe“;7 €\n', 'windows-1252')
    const { rows, shape } = await files.read('table.csv', bytes)

    assert.deepInclude(shape!, { encoding: 'windows-1252', isGuess: true, delimiter: ';' })
    assert.deepEqual(rows[1].cells, ['„Größe“', '7 €'])
  })

  test('[D3] another encoding can be selected, and an unknown one is an error', async ({
    assert,
  }) => {
    const bytes = iconv.encode('name\nЖук и рыба\n', 'windows-1251')
    const { rows, error: none } = await files.read('t.csv', bytes, { encoding: 'windows-1251' })
    const { error } = await files.read('t.csv', bytes, { encoding: 'utf-7' })

    assert.isNull(none)
    assert.deepEqual(rows[0].cells, ['Жук и рыба'])
    assert.equal(error!.key, 'sheets.errors.encoding')
  })

  test('[D3] a non-ASCII character far into the file does not change the encoding from UTF-8', async ({
    assert,
  }) => {
    const lines = `id,text\n${'1,plain\n'.repeat(40_000)}2,Zoë\n`
    const { rows, shape } = await files.read('table.csv', lines)

    assert.deepInclude(shape!, { encoding: 'utf-8', isGuess: false })
    assert.deepEqual(rows.at(-1), { line: 40_002, cells: ['2', 'Zoë'] })
  })

  test('[D3] the line number of a record is that of its beginning, with any line endings', async ({
    assert,
  }) => {
    const text = 'a,b\r\n1,"x\r\ny\r\nz"\r\n\r\n2,y\n3,"p\nq"\r4,"r\rs"\n\n,\n5,"\r\n\r\n"\r\n6,t'
    const { rows } = await files.read('table.csv', text)

    assert.deepEqual(
      rows.map(({ line, cells }) => [line, cells[0]]),
      [
        [2, '1'],
        [6, '2'],
        [7, '3'],
        [9, '4'],
        [13, '5'],
        [16, '6'],
      ]
    )
  })

  test('[D3] a row with more or fewer cells than the heading has an error', async ({ assert }) => {
    const { rows } = await files.read('table.csv', 'a,b\n1\n1,2,3\n1,2,\n4,5\n')

    assert.deepEqual(
      rows.map(({ line, error }) => [line, error?.key ?? null]),
      [
        [2, 'sheets.errors.shortRow'],
        [3, 'sheets.errors.longRow'],
        [4, null],
        [5, null],
      ]
    )
  })

  test('[D3] headings can be empty or repeated, and a table can have hundreds of columns', async ({
    assert,
  }) => {
    const names = Array.from({ length: 300 }, (_, index) => `c${index}`)
    const wide = await files.read('table.csv', `${names}\n${names.map((_, index) => index)}\n`)
    const odd = await files.read('table.csv', 'a,,a\n1,2,3\n')

    assert.lengthOf(wide.rows[0].cells, 300)
    assert.deepEqual(odd.shape!.columns, ['a', '', 'a'])
    assert.deepEqual(odd.rows[0].cells, ['1', '2', '3'])
  })

  test('[D3] the apostrophe that escapes a formula is removed, and any other apostrophe is preserved', async ({
    assert,
  }) => {
    const { rows, shape } = await files.read('table.csv', "'=a,b\n'=1+1,'x\n''=1,-5\n")

    assert.deepEqual(shape!.columns, ['=a', 'b'])
    assert.deepEqual(
      rows.map(({ cells }) => cells),
      [
        ['=1+1', "'x"],
        ["'=1", '-5'],
      ]
    )
  })

  test('[D3] a cell of 10 MB and a NUL character are read unchanged', async ({ assert }) => {
    const long = 'x'.repeat(10 * 1024 * 1024)
    const { rows } = await files.read('table.csv', `a,b\n1,"${long}"\n2,\0\n`)

    assert.equal(rows[0].cells[1], long)
    assert.equal(rows[1].cells[1], '\0')
  })

  test('[D3] a file that becomes unreadable in the middle is refused with line and column: {name}')
    .with([
      { name: 'a.csv', text: 'a,b\n1,"x\n\n2,y\n', key: 'openQuote', line: 2, at: [2, 3] },
      {
        name: 'b.csv',
        text: 'a,b\n1,"p\r\nq"\n\n3,"x"y\n',
        key: 'strayQuote',
        line: 5,
        at: [5, 6],
      },
      { name: 'c.csv', text: 'a,b\n1,"x\n\ny"z\n', key: 'strayQuote', line: 4, at: [4, 3] },
      { name: 'a.ndjson', text: '{"a":1}\n\n{"a":x}', key: 'json', line: 3, at: [3, 6] },
      { name: 'b.ndjson', text: '{"a":1}\n[1]\n', key: 'noObject', line: 2, at: [2] },
      { name: 'a.json', text: '[{"a":1},\n{"a":2},\n\n{"a":', key: 'cut', line: 3, at: [4] },
      { name: 'b.json', text: '[{"a":1},{"a":2},\n{"a":x}]', key: 'json', line: 3, at: [2, 6] },
      { name: 'c.json', text: '[{"a":1},\n\n5]', key: 'noObject', line: 2, at: [3, 2] },
      { name: 'd.json', text: '{"a":{"items":[{"a":1}]}}', key: 'noList', line: null, at: [] },
      { name: 'd.csv', text: ' \n', key: 'empty', line: null, at: [] },
      { name: 'e.csv', text: ',,\n', key: 'noHeading', line: null, at: [] },
    ])
    .run(async ({ assert }, { name, text, key, line, at }) => {
      const { error } = await files.read(name, text)
      const { data } = error!
      assert.deepEqual([error!.key, error!.line], [`sheets.errors.${key}`, line])
      assert.deepEqual([data.at, data.column], [at[0], at[1]])
    })

  test('[D3] a quotation mark inside an unquoted cell is an ordinary character', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 20 }, (_, index) => `x${index},"q ""${index}"""`)
    const { rows: read, error } = await files.read(
      't.csv',
      ['a,b', ...rows, '5" pipe,q99', 'x,7"', '"a ""b""",'].join('\n')
    )

    assert.isNull(error)
    assert.deepEqual(read.at(-4), { line: 21, cells: ['x19', 'q "19"'] })
    assert.deepEqual(read.slice(-3), [
      { line: 22, cells: ['5" pipe', 'q99'] },
      { line: 23, cells: ['x', '7"'] },
      { line: 24, cells: ['a "b"', null] },
    ])
  })

  test('[D3] quotation marks are parsed in the same way wherever the input is split', ({
    assert,
  }) => {
    const text = 'a,"b ""c""",5" d\r\n"",\n"e\n"",f",g"h""i'
    for (let cut = 0; cut <= text.length; cut++) {
      const scanner = new QuoteScanner(',')
      const scanned = scanner.scan(text.slice(0, cut)) + scanner.scan(text.slice(cut))
      scanner.end()
      assert.equal(scanner.restore(scanned), text)
      assert.equal(
        scanned.replaceAll('\uFDD0', '!'),
        'a,"b ""c""",5! d\r\n"",\n"e\n"",f",g!h!!i',
        String(cut)
      )
    }
  })

  test('[D3] a noncharacter next to quotation marks is preserved', async ({ assert }) => {
    const cells = ['5" \uFDD0', '\uFDD0\uFDD1', '\uFDD1a"b', 'x\uFDD1b\uFDD0']
    const quoted = `"${cells[3]}"`
    const text = `a,b,c,d\n${cells.slice(0, 3).join()},${quoted}\n`
    const { rows } = await files.read('t.csv', text)
    assert.deepEqual(rows, [{ line: 2, cells }])
    const scanner = new QuoteScanner(',')
    const scanned = [...text].map((one) => scanner.scan(one)).join('')
    assert.equal(scanner.restore(scanned), text)
  })

  test('[D3] a first line sep=; sets the delimiter and is not a row', async ({ assert }) => {
    const found = await files.read('t.csv', 'sep=;\r\nname;code\r\na,b;1\r\n')
    const quoted = await files.read('q.csv', '"sep=|"\nname|code\na|1\n')
    const alone = await files.read('o.csv', 'sep=;\nname\na\n')

    assert.deepEqual(found.shape!.columns, ['name', 'code'])
    assert.deepEqual(found.rows, [{ line: 3, cells: ['a,b', '1'] }])
    assert.deepEqual(quoted.shape!.columns, ['name', 'code'])
    assert.deepEqual(alone.shape!.columns, ['name'])
  })

  test('[D3] titles and notes above the heading are skipped, and another heading can be chosen', async ({
    assert,
  }) => {
    const text = 'Sales 2026\n\nFrom;2026-01-01\nname;code;price;town\na;1;2;x\nb;2;3;y\n'
    const { rows, shape } = await files.read('t.csv', text)
    const chosen = await files.read('t.csv', text, { heading: 5 })
    const none = await files.read('t.csv', text, { heading: 7 })

    assert.deepEqual(shape!.columns, ['name', 'code', 'price', 'town'])
    assert.equal(shape!.heading, 4)
    assert.deepEqual(rows[0], { line: 5, cells: ['a', '1', '2', 'x'] })
    assert.deepEqual(shape!.firstRows!.slice(0, 2), [
      { line: 1, text: 'Sales 2026' },
      { line: 3, text: 'From · 2026-01-01' },
    ])
    assert.deepEqual(chosen.shape!.columns, ['a', '1', '2', 'x'])
    assert.deepEqual(
      chosen.rows.map(({ line }) => line),
      [6]
    )
    assert.equal(none.error!.key, 'sheets.errors.noHeadingRow')
  })

  test('[D3] the first row is the heading unless most rows below it have more cells: {$self}')
    .with(['a,b,c\n1,2,3\n1,,\n1,,\n', 'a\n1\n2\n3\n4,5\n6,7\n8\n9\n', 'a,,\n1,,\n'])
    .run(async ({ assert }, text) => {
      const { shape } = await files.read('t.csv', text)
      assert.equal(shape!.columns[0], 'a')
    })

  test('[D3] a truncated or invalid character is reported with its line', async ({ assert }) => {
    const whole = Buffer.from('a,b\n1,ä\n2,ö\n3,ü')
    const cut = await files.read('cut.csv', whole.subarray(0, -1))
    const broken = Buffer.from('a,b\n1,äöü\n2,?\n3,ü')
    broken[broken.indexOf('?')] = 0xff
    const { error } = await files.read('broken.csv', broken)

    assert.deepEqual([cut.error?.key, cut.error?.line], ['sheets.errors.cut', 4])
    assert.deepEqual([error?.key, error?.line], ['sheets.errors.letters', 3])
  })

  test('[D3] JSON is read with all digits, missing keys and unusual keys', async ({ assert }) => {
    const objects =
      '{"a":12345678901234567890,"b":0.12345678901234567890},\n{"b":1.50,"a":-1e400},\n{"a":null,"__proto__":{"x":[1e2]}}'
    const list = await files.read('table.json', `{"total": {"items": [1]}, "items": [${objects}]}`)
    const lines = await files.read('table.ndjson', objects.replaceAll(',\n', '\n'))

    for (const { rows, shape } of [list, lines]) {
      assert.deepEqual(shape!.columns, ['a', 'b', '__proto__'])
      assert.deepEqual(
        rows.map(({ cells }) => cells),
        [
          ['12345678901234567890', '0.12345678901234567890', undefined],
          ['-1e400', 1.5, undefined],
          [null, undefined, { x: [100] }],
        ]
      )
    }
  })

  test('[D3] a key that does not occur in the first 1,000 objects is an error in its row', async ({
    assert,
  }) => {
    const { rows } = await files.read('t.ndjson', `${'{"a":1}\n'.repeat(1000)}{"a":2,"late":3}\n`)

    assert.deepEqual(rows.at(-1)?.error, {
      key: 'sheets.errors.unknownName',
      data: { name: 'late' },
    })
  })

  test('[D3] JSON that is nested too deeply is refused', async ({ assert }) => {
    const deep = `{"a":${'['.repeat(200)}${']'.repeat(200)}}`
    for (const name of ['t.ndjson', 't.json']) {
      const { error } = await files.read(name, name === 't.json' ? `[${deep}]` : deep)
      assert.equal(error?.key, 'sheets.errors.deep')
    }
  })

  test('[D3] NDJSON is distinguished from JSON by the content, whatever the file name', async ({
    assert,
  }) => {
    const ndjson = await files.read('t.json', '{"a":1}\n{"a":2}\n')
    const json = await files.read('t.ndjson', '[{"a":1}]')

    assert.equal(ndjson.shape!.format, 'ndjson')
    assert.equal(json.shape!.format, 'json')
  })
})
