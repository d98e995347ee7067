import { test } from '@japa/runner'
import { parse } from 'csv-parse/sync'
import db from '@adonisjs/lucid/services/db'
import iconv from 'iconv-lite'
import { FILE_FORMATS } from '#admin/sheets/file_shape'
import { WIDTH } from '#tests/fixtures/trips'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { emptyImportTables, upload } from '#tests/helpers/import_forms'
import { emptyJobTables, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { partOf } from '#tests/helpers/random_runs'
import { exportedFile, importedFile, tripRows } from '#tests/helpers/trips'
import { workbookOf } from '#tests/helpers/zip_file'

type Row = Record<string, unknown>

/* What breaks files, formats, databases and spreadsheets */
const NASTY = [
  '',
  ' ',
  ' led and trailed \t',
  'a "quoted" one',
  '"',
  '""',
  "'",
  "''",
  'two\r\nlines',
  'two\nlines',
  'two\rlines',
  'a\ttab',
  'a,b;c|d',
  "=cmd|' /C calc'!A0",
  "'=x",
  "''=x",
  '+1',
  '-1',
  '@x',
  '\t=x',
  '\r=x',
  '＝x',
  '007',
  '1.50',
  '1e5',
  '1234567890123456789',
  '0.10',
  '😀 \u{1F469}\u200D\u{1F469}',
  '\u202Eabc\u200F',
  '\uFEFFmark',
  '\u0001\u001F\u007F',
  '\u2028\u0085',
  '_x0041_',
  'null',
  'NULL',
  'true',
  '{"a":1}',
  '2026-03-04',
  '03/04/2026',
  '<b>&amp;]]></b>',
  'ÄÖÜ ß €',
]

const JSONS: unknown[] = [
  null,
  { a: [1, null, '=x', { b: 'é\n' }] },
  [],
  {},
  [1, 'two'],
  'a text',
  '',
  '=cmd',
  '{"not":"an object"}',
  '123',
  'null',
  12.5,
  true,
  false,
  0,
]

const INTEGERS = [0, 1, -1, 2147483647, -2147483648]
const BIGS = ['1234567890123456789', '-9223372036854775808', '9223372036854775807', '0', '7']
const DECIMALS = ['0.100000', '-0.000001', '123456789.123456', '3.000000', '1000000.500000']
const RATIOS = [0, 0.1, -1.5, 1e21, 1.5e-7, 123456789.123]
const DAYS = ['2026-02-28', '1999-12-31', '2024-02-29', '1971-03-04']
const CLOCKS = ['00:00:00', '23:59:59', '07:05:00']
/* Moments are written in whole seconds. */
const MOMENTS = ['2026-03-29 01:30:00', '1999-12-31 23:59:59', '2024-06-01 00:00:00']
const STATUSES = ['draft', 'sailing', 'over']
const TOKEN = '123e4567-e89b-42d3-a456-426614174000'

/** A row with every column; those that may be are null in every other one. */
function trip(index: number, text: string): Row {
  const isFull = index % 2 === 0
  const at = <Value>(values: readonly Value[]): Value | null =>
    isFull ? values[(index / 2) % values.length] : null
  const data = JSONS[index % JSONS.length]
  return {
    id: index * 3 + 1,
    name: text === '' || text.trim() === '' ? `Trip ${index}` : text,
    code: at([`00${index}`]),
    seats: INTEGERS[index % INTEGERS.length],
    decks: at(INTEGERS),
    big: at(BIGS),
    price: at(DECIMALS),
    ratio: at(RATIOS),
    is_open: index % 3 === 0,
    is_ferry: at([true, false]),
    day: at(DAYS),
    clock: at(CLOCKS),
    zoned_at: at(MOMENTS),
    plain_at: at(MOMENTS),
    status: STATUSES[index % STATUSES.length],
    data: data === null ? null : JSON.stringify(data),
    token: at([TOKEN]),
    note: isFull || index % 3 > 0 ? text : null,
    log: at([text.repeat(30)]),
    harbour_id: at([1, 2]),
  }
}

/* What is said of a file that was cut */
const ERROR = {
  csv: /^422 .*line \d+/,
  ndjson: /^422 .*line \d+/i,
  json: /^422 .*\d+/,
  xlsx: /^422 .*(damaged|cut|broken)/i,
}

test.group('Admin | export and import round trips', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async ({ context }) => {
    await emptyAdminTables()
    await emptyJobTables()
    await emptyImportTables()
    await emptyEventTables()
    for (const table of ['trips', 'trip_harbours', 'trip_logs', 'trips_wide'])
      await db.from(table).delete()
    await db.table('trip_harbours').multiInsert([
      { id: 1, name: 'Bergen' },
      { id: 2, name: '=Oslo' },
    ])
    cookie = await cookiesOf(await makeUser('jo'))
    context.cleanup(await work())
  })

  const fill = async (rows: readonly Row[]) => {
    for (const row of rows) await db.table('trips').insert(row)
  }
  const empty = async () => void (await db.from('trips').delete())

  for (const format of FILE_FORMATS) {
    test(`[D2, D3] every type and value is restored unchanged: ${format}`, async ({ assert }) => {
      await fill(NASTY.map((text, index) => trip(index, text)))
      const before = await tripRows()
      const file = await exportedFile('Trip', `format=${format}`, cookie)
      await empty()
      const { job, dryRun } = await importedFile('Trip', `trips.${format}`, file, cookie)
      assert.deepEqual(dryRun!.faults, [])
      assert.equal(dryRun!.new, NASTY.length)
      assert.equal(job?.state, 'done', job?.error ?? '')
      const after = await tripRows()
      for (const [index, row] of before.entries()) assert.deepEqual(after[index], row)
      assert.lengthOf(after, before.length)

      const again = await importedFile('Trip', `trips.${format}`, file, cookie)
      assert.deepInclude(again.dryRun, { new: 0, changed: 0, unchanged: NASTY.length, faulty: 0 })
    }).tags(['@database'])
  }

  /** A table of texts that Windows-1252 has; the others have what only some files keep. */
  const plain = () =>
    ['Ärger & Söhne', 'a;b', 'tab\there', 'say "hi"', '007', 'two\r\nlines', '€ 5', '=1+1'].map(
      (text, index) => trip(index, text)
    )

  const inOrder = (pattern: string) => (text: string) =>
    text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, (_, y, m, d) =>
      pattern.replace('YYYY', y).replace('MM', m).replace('DD', d)
    )

  const CUSTOMS: Array<{
    title: string
    delimiter?: string
    encode?: (text: string) => Buffer
    dates?: string
    dateOrder?: string
  }> = [
    {
      title: 'Windows-1252 with ; and German dates',
      delimiter: ';',
      encode: (text) => iconv.encode(text, 'win1252'),
      dates: 'DD.MM.YYYY',
    },
    {
      title: 'UTF-16LE with a mark, tabs and American dates',
      delimiter: '\t',
      encode: (text) => iconv.encode(text, 'utf16le', { addBOM: true }),
      dates: 'MM/DD/YYYY',
      dateOrder: 'mdy',
    },
    {
      title: 'UTF-16BE with a mark',
      encode: (text) => iconv.encode(text, 'utf16be', { addBOM: true }),
      dates: 'DD/MM/YYYY',
      dateOrder: 'dmy',
    },
    {
      title: 'UTF-8 with a mark and ;',
      delimiter: ';',
      encode: (text) => Buffer.from(`\uFEFF${text}`),
    },
  ]

  test('[D3] {title}: the imported table equals the exported one')
    .with(CUSTOMS)
    .run(
      async (
        { assert },
        { delimiter = ',', encode = Buffer.from, dates = 'YYYY-MM-DD', dateOrder }
      ) => {
        await fill(plain())
        const before = await tripRows()
        const file = await exportedFile('Trip', 'format=csv', cookie)
        await empty()
        /* With the quotes, so that what was a quoted empty text stays one */
        const records: string[][] = parse(Buffer.from(file), {
          cast: (value, { quoting }) => (quoting ? `"${value}"` : inOrder(dates)(value)) as never,
        })
        const text = records
          .map((cells) =>
            cells
              .map((cell) =>
                cell.startsWith('"')
                  ? `"${cell.slice(1, -1).replaceAll('"', '""')}"`
                  : cell.includes(delimiter)
                    ? `"${cell}"`
                    : cell
              )
              .join(delimiter)
          )
          .join('\r\n')
        const { job, dryRun } = await importedFile(
          'Trip',
          'trips.csv',
          new Uint8Array(encode(text)),
          cookie,
          { dateOrder }
        )
        assert.deepEqual(dryRun!.faults, [])
        assert.equal(job?.state, 'done', job?.error ?? '')
        const after = await tripRows()
        for (const [index, row] of before.entries()) assert.deepEqual(after[index], row)
        assert.lengthOf(after, before.length)
      }
    )

  test('[D2, D3] a table of 300 columns is restored unchanged', async ({ assert }) => {
    const rows = [1, 2, 3].map((id) => ({
      id,
      ...Object.fromEntries(
        Array.from({ length: WIDTH }, (_, index) => [
          `c_${index}`,
          index % 3 ? `v${id}.${index}` : null,
        ])
      ),
    }))
    for (const format of ['csv', 'xlsx']) {
      await db.from('trips_wide').delete()
      await db.table('trips_wide').multiInsert(rows)
      const file = await exportedFile('WideTrip', `format=${format}`, cookie)
      await db.from('trips_wide').delete()
      const { job, dryRun } = await importedFile('WideTrip', `wide.${format}`, file, cookie)
      assert.deepEqual(dryRun!.faults, [], format)
      assert.equal(job?.state, 'done', job?.error ?? '')
      assert.deepEqual(await db.from('trips_wide').orderBy('id'), rows, format)
    }
  }).tags(['@database'])

  test('[D2, D3] a cell of 10 MB is restored from text formats, and is an error in a sheet', async ({
    assert,
  }) => {
    const text = `${'0123456789abcdeé'.repeat(process.env.TEST_ALL ? 650_000 : 65_000)}end`
    for (const format of partOf(['csv', 'ndjson', 'json'], 3)) {
      await db.from('trip_logs').delete()
      /* The newest comes first: the first row of a file has at most 2 MB. */
      await db.table('trip_logs').multiInsert([
        { id: 1, log: text },
        { id: 2, log: 'short' },
      ])
      const file = await exportedFile('TripLog', `format=${format}`, cookie)
      assert.isAbove(file.length, text.length)
      await db.from('trip_logs').delete()
      const { job, dryRun } = await importedFile('TripLog', `logs.${format}`, file, cookie)
      assert.deepEqual(dryRun!.faults, [], format)
      assert.equal(job?.state, 'done', job?.error ?? '')
      const { log } = await db.from('trip_logs').whereNot('log', 'short').firstOrFail()
      assert.isTrue(log === text, format)
    }
    await assert.rejects(
      () => exportedFile('TripLog', 'format=xlsx', cookie),
      /failed: .*row 3, column log, .*32,767 characters/
    )
  })
    .tags(['@database'])
    .timeout(120_000)

  test('[D3] the error of a truncated file contains its position, and a ZIP that expands too far is refused', async ({
    assert,
  }) => {
    await fill(NASTY.map((text, index) => trip(index, text)))
    for (const format of FILE_FORMATS) {
      const file = await exportedFile('Trip', `format=${format}`, cookie)
      const cut =
        format === 'csv'
          ? file.slice(0, file.indexOf(0x22, file.length / 2) + 3)
          : file.slice(0, Math.floor(file.length * 0.7))
      const before = await tripRows()
      const told = await importedFile('Trip', `trips.${format}`, cut, cookie).then(
        () => 'nothing',
        ({ message }: Error) => message
      )
      assert.match(told, ERROR[format], told)
      assert.deepEqual(await tripRows(), before)
    }
    const bomb = workbookOf({
      rows: `<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row>${'<row/>'.repeat(10_000_000)}`,
    })
    assert.isBelow(bomb.length, 1_000_000)
    const refused = await upload(
      'Trip',
      { name: 'bomb.xlsx', content: new Uint8Array(bomb) },
      { cookie }
    )
    assert.equal(refused.status, 422)
    assert.match(refused.text, /unpack/i)
  })

  test('[D3] integers preserve all digits up to 64 bits, and longer ones are an error at their field', async ({
    assert,
  }) => {
    const stored = [
      ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
      ...['9223372036854775807', '-9223372036854775808'],
    ]
    const beyond = ['9223372036854775808', '-9223372036854775809', '1e19', '12345678901234567.5']
    const all = [...stored, ...beyond]
    const objects = all.map((big) => `{"name":"a","seats":1,"is_open":true,"big":${big}}`)
    for (const [name, content, first] of [
      ['a.csv', `name,seats,is_open,big\r\na,1,true,${all.join('\r\na,1,true,')}`, 2],
      ['a.ndjson', objects.join('\n'), 1],
      ['a.json', `[${objects.join(',\n')}]`, 1],
    ] as const) {
      await empty()
      const { job, dryRun } = await importedFile('Trip', name, content, cookie, {
        skipInvalid: true,
      })
      assert.deepEqual(
        dryRun!.faults.map(({ line, field, message }) => [line, field, message]),
        beyond.map((text, index) => [
          first + stored.length + index,
          'big',
          text === '1e19' && name === 'a.csv'
            ? 'Big must be a whole number, written as 1234; 1,234,567 or 1.234.567'
            : 'Big must be an integer of at most 64 bits',
        ]),
        name
      )
      assert.equal(job?.state, 'done', job?.error ?? '')
      const rows = await tripRows()
      assert.deepEqual(
        rows.map(({ big_text: text }) => text.trim()),
        stored,
        name
      )
    }
  })

  test('[D3, A28] a NUL character in a file is an error at its field', async ({ assert }) => {
    for (const [name, content] of [
      ['a.csv', 'name,seats,is_open\r\n"a\u0000b",1,true\r\n'],
      ['a.ndjson', '{"name":"a\\u0000b","seats":1,"is_open":true}\n'],
    ]) {
      const { dryRun } = await importedFile('Trip', name, content, cookie).catch((error) => {
        assert.match(error.message, /^422 /)
        return { dryRun: null }
      })
      if (dryRun)
        assert.deepEqual(
          dryRun.faults.map(({ line, field }) => [line, field]),
          [[name === 'a.csv' ? 2 : 1, 'name']]
        )
    }
    assert.lengthOf(await tripRows(), 0)
  }).tags(['@database'])
})
