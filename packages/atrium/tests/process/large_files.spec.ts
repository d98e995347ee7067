import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Database from 'better-sqlite3'
import { test } from '@japa/runner'
import { inspectFile } from '#admin/sheets/inspect_file'
import { readRows } from '#admin/sheets/read_rows'
import { runAce } from '#tests/helpers/ace_process'
import { onSqlite } from '#tests/helpers/databases'

const ROWS = 500_000

/** Megabytes. Commands and models take more than half of it; all rows in memory would take 180 */
const HEAP = 160

const MEGABYTE = 1024 * 1024

test.group('Large files', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'The database is a file of its own').timeout(1_200_000))

  test('[D2, D3, D6] half a million rows are exported and imported again with constant memory', async ({
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

  test('[D3] the preview lists errors in row 3 and row 99,999 of 100,000, and the run skips these rows', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'large-'))
    try {
      const [database, file] = ['db.sqlite3', 'films.csv'].map((name) => join(folder, name))
      const migrated = await runAce(['migration:run', '--force'], { database })
      assert.equal(migrated.status, 0, migrated.err)
      await writeFile(file, invalidFilms())
      const ran = async (flag: string) => {
        const args = ['crud:import', 'Film', file, '--json', flag]
        const { status, out, err } = await runAce(args, { database, heap: HEAP })
        assert.notEqual(out, '', err.slice(-2000))
        const { faults: errors, ...counts } = JSON.parse(out)
        assert.deepEqual(counts, { new: 99_998, changed: 0, unchanged: 0, faulty: 2 })
        /* A heading is before the rows, and row 50,000 has two lines. */
        assert.deepEqual(
          errors.map(({ line, field }: { line: number; field: string }) => [line, field]),
          [
            [4, 'release_date'],
            [100_001, 'distributor_id'],
          ]
        )
        return status
      }
      const titles = () => {
        const films = new Database(database, { readonly: true })
        const found = films.prepare('select title from films order by id').pluck().all() as string[]
        films.close()
        return found
      }

      assert.equal(await ran('--dry-run'), 1)
      assert.isEmpty(titles())

      assert.equal(await ran('--skip-faulty'), 0)
      const imported = titles()
      assert.lengthOf(imported, 99_998)
      assert.deepEqual(imported.slice(1, 3), ['Film 2', 'Film 4'])
      assert.deepEqual(imported.slice(-2), ['Film 99998', 'Film 100000'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** 100,000 films as CSV, of which row 3 has no such day, and row 99,999 no such distributor. */
function invalidFilms(): string {
  const rows = Array.from({ length: 100_000 }, (_, index) => {
    const row = index + 1
    const director = row === 50_000 ? '"two\r\nlines"' : 'D'
    const day = row === 3 ? '2020-02-30' : '2020-02-29'
    return `Film ${row},${director},${day},${row === 99_999 ? 4711 : ''}`
  })
  return ['title,director,release_date,distributor_id', ...rows, ''].join('\r\n')
}

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
