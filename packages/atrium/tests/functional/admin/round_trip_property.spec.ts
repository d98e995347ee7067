import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { FILE_FORMATS } from '#admin/sheets/file_shape'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { emptyImportTables } from '#tests/helpers/import_forms'
import { emptyJobTables, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { runs } from '#tests/helpers/random_runs'
import { exportedFile, importedFile, tripRows } from '#tests/helpers/trips'

/* A NUL is an error of its field, and half a character none that a file could hold. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\u0000')

const word = fc
  .oneof(fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: 'grapheme' }), fc.string())
  .filter(isStorable)

const piece = fc.constantFrom(
  ...['"', '""', "'", '\r', '\n', '\r\n', '\t', ',', ';', '|', '=', '+', '-', '@', '＝', '0', '00'],
  ...[
    '\uFEFF',
    '\u202E',
    '\u200F',
    '\u2028',
    '\u0085',
    '😀',
    '_x000D_',
    'null',
    'true',
    ' ',
    '\u00A0',
  ]
)

const text = fc.oneof(
  word,
  fc.array(fc.oneof(piece, word), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.json().filter(isStorable)
)

const INTEGER = fc.integer({ min: -2147483648, max: 2147483647 })
/* Ends of 64 bits, the first that a JavaScript number rounds, and any with 19 digits */
const BIG = fc
  .oneof(
    fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n - 2n, 1n - 2n ** 63n),
    fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
    fc.bigInt({ min: 10n ** 18n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 1n, max: 2000n }).map((less) => 2n ** 63n - less),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  )
  .map(String)

/* As many digits as SQLite keeps */
const DECIMAL = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }).map((number) => {
  const digits = String(number < 0n ? -number : number).padStart(7, '0')
  return `${number < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
})

const RATIO = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })
  .map((number) => (Math.abs(number) < 1e-300 ? 0 : number))

const within = (min: string, max: string) =>
  fc
    .date({ min: new Date(min), max: new Date(max), noInvalidDate: true })
    .map((date) => date.toISOString())
const DAY = within('1000-01-01', '9999-12-31').map((moment) => moment.slice(0, 10))
const CLOCK = within('2026-01-01', '2027-01-01').map((moment) => moment.slice(11, 19))
/* Those that MySQL's timestamps have, in whole seconds */
const MOMENT = within('1970-01-02', '2038-01-18').map((moment) =>
  moment.slice(0, 19).replace('T', ' ')
)

const JSON_TEXT = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.stringify(value))

const maybe = <Value>(some: fc.Arbitrary<Value>) => fc.option(some, { freq: 4 })

const row = fc.record({
  name: text.filter((one) => one.trim() !== '' && one.length <= 200),
  code: maybe(text.filter((one) => one.length <= 30)),
  seats: INTEGER,
  decks: maybe(INTEGER),
  big: maybe(BIG),
  price: maybe(DECIMAL),
  ratio: maybe(RATIO),
  is_open: fc.boolean(),
  is_ferry: maybe(fc.boolean()),
  day: maybe(DAY),
  clock: maybe(CLOCK),
  zoned_at: maybe(MOMENT),
  plain_at: maybe(MOMENT),
  status: fc.constantFrom('draft', 'sailing', 'over'),
  data: maybe(JSON_TEXT.filter((json) => json !== 'null' && !json.includes('\\u0000'))),
  token: maybe(fc.uuid()),
  note: maybe(fc.oneof(text, fc.constant(''))),
  log: maybe(fc.oneof(text, fc.constant(''))),
  harbour_id: maybe(fc.constantFrom(1, 2)),
})

const table = fc.array(row, { minLength: 10, maxLength: 20, size: 'max' }).map((rows) =>
  rows.map((one, index) => ({
    id: index * 3 + 1,
    ...one,
    code: one.code === null ? null : `${one.code}#${String(index).padStart(2, '0')}`,
  }))
)

test.group('Admin | random export and import round trips', (group) => {
  group.tap((one) => one.tags(['@database']).timeout(120_000))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async ({ context }) => {
    await emptyAdminTables()
    for (const name of ['trips', 'trip_harbours']) await db.from(name).delete()
    await db.table('trip_harbours').multiInsert([
      { id: 1, name: 'Bergen' },
      { id: 2, name: '=Oslo' },
    ])
    cookie = await cookiesOf(await makeUser('jo'))
    context.cleanup(await work())
  })

  test('[D2, D3] exporting a random table and importing it again restores the same rows: {$self}')
    .with([...FILE_FORMATS])
    .run(async ({ assert }, format) => {
      await fc.assert(
        fc.asyncProperty(table, async (rows) => {
          await emptyJobTables()
          await emptyImportTables()
          await emptyEventTables()
          await db.from('trips').delete()
          for (const one of rows) await db.table('trips').insert(one)
          const before = await tripRows()
          const file = await exportedFile('Trip', `format=${format}`, cookie)
          await db.from('trips').delete()
          const { job, dryRun } = await importedFile('Trip', `trips.${format}`, file, cookie)
          assert.deepEqual(dryRun!.faults, [])
          assert.equal(job?.state, 'done', job?.error ?? '')
          assert.deepEqual(await tripRows(), before)
        }),
        { numRuns: runs(15), endOnFailure: true }
      )
    })
})
