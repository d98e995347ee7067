/*
 * The bare import: rows of csv-parse, validated by VineJS as the site does it, inserted in one transaction.
 * Arguments: database, file.
 */
import { createReadStream } from 'node:fs'
import vine from '@vinejs/vine'
import { parse } from 'csv-parse'
import { open } from '../contenders/bare/sqlite3.js'

const integer = () => vine.number().withoutDecimals().nullable()
const text = (most: number) => vine.string().maxLength(most).nullable()
const validator = vine.create({
  title: vine.string().maxLength(255),
  us_gross: integer(),
  worldwide_gross: integer(),
  us_dvd_sales: integer(),
  production_budget: integer(),
  release_date: text(10),
  mpaa_rating: text(16),
  running_time_min: integer(),
  distributor_id: integer(),
  source: text(80),
  major_genre: text(80),
  creative_type: text(80),
  director: text(120),
  rotten_tomatoes_rating: integer(),
  imdb_rating: vine.number().nullable(),
  imdb_votes: integer(),
})

const [database, file] = process.argv.slice(2)
const driver = await open(database)
const run = async (sql: string) => void (await driver.prepare(sql)([]))

const start = performance.now()
await run('begin')
let insert: ReturnType<typeof driver.prepare> | undefined
let count = 0
const rows = createReadStream(file).pipe(
  parse({ columns: true, cast: (value) => (value === '' ? null : value) })
)
for await (const row of rows) {
  const values = { ...(await validator.validate(row)), created_at: new Date().toISOString() }
  const names = Object.keys(values)
  insert ??= driver.prepare(
    `insert into films (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
  )
  await insert(Object.values(values))
  count++
}
await run('commit')
console.log(JSON.stringify({ milliseconds: performance.now() - start, count }))
