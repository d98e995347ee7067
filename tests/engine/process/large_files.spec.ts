import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Database from 'better-sqlite3'
import { test } from '@japa/runner'
import { inspectFile } from '#admin/sheets/inspect_file'
import { readRows } from '#admin/sheets/read_rows'
import { runAce } from '#tests/engine/helpers/ace_process'
import { onSqlite } from '#tests/engine/helpers/databases'

const ROWS = 1_000_000

/** Megabytes; the commands and models alone take more than a half of it, the rows at once several times as much */
const HEAP = 160

const MEGABYTE = 1024 * 1024

test.group('Large files', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'The database is a file of its own').timeout(1_200_000))

  test('[D2, D3, D6] a million rows are exported and read again while the memory stays flat', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'large-'))
    try {
      const [database, file] = ['db.sqlite3', 'films.csv'].map((name) => join(folder, name))
      const migrated = await runAce(['migration:run', '--force'], { database })
      assert.equal(migrated.status, 0, migrated.err)
      fill(database)

      const args = ['crud:export', 'Film', '--query=columns=*', `--output=${file}`]
      const { status, err } = await runAce(args, { database, heap: HEAP })
      assert.equal(status, 0, err.slice(-2000))
      assert.equal(await linesOf(file), ROWS + 1)

      const heaps: number[] = []
      let count = 0
      for await (const { cells } of readRows(file, await inspectFile(file, 'films.csv'))) {
        if (++count % (ROWS / 4) === 0) heaps.push(liveHeap())
        if (cells.length === 0) assert.fail('a row without cells')
      }
      assert.equal(count, ROWS)
      const [first, ...others] = heaps
      assert.isBelow(Math.max(...others) - first, 5 * MEGABYTE)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

function fill(path: string): void {
  const database = new Database(path)
  database.exec(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
     insert into films (title, director, source, major_genre, us_gross, imdb_rating, release_date, created_at)
     select 'Film ' || n, 'Director ' || (n * 7919 % 900), 'Original Screenplay', 'Drama', n * 1000, 5.5,
       '2020-02-29', '2026-01-01 00:00:00' from numbers`
  )
  database.close()
}

async function linesOf(path: string): Promise<number> {
  let count = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === 10) count++
  }
  return count
}

/** Bytes of the objects that are in use */
function liveHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
