/* The bare export: rows of the driver, through csv-stringify, into a file. Arguments: database, file. */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { open } from '../contenders/bare/sqlite3.js'

const ROWS_AT_ONCE = 1000

const [database, file] = process.argv.slice(2)
const driver = await open(database)
const next = driver.prepare('select * from films where id > ? order by id limit ?')

const start = performance.now()
const output = createWriteStream(file)
const csv = stringify({ header: true })
csv.pipe(output)
let last = 0
for (;;) {
  const rows = await next([last, ROWS_AT_ONCE])
  if (rows.length === 0) break
  last = Number(rows.at(-1)!.id)
  for (const row of rows) {
    if (!csv.write(row)) await once(csv, 'drain')
  }
}
csv.end()
await finished(output)
console.log(JSON.stringify({ milliseconds: performance.now() - start, bytes: output.bytesWritten }))
