import { execFile } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { stringify } from 'csv-stringify/sync'
import { scratchFolder } from '../helpers/application.js'
import { films } from '../helpers/films.js'
import { integerOption } from '../helpers/options.js'
import { benchUser } from '../helpers/sign_in.js'
import { median } from '../helpers/statistics.js'
import { SqliteDatabase } from '../helpers/sqlite_database.js'
import { idleOf, listDuring, withMemory } from './observed.js'
import { TransferSite } from './site.js'

const MEGABYTE = 1024 * 1024
/** Of rule D6 */
const ALLOWED = { export: 2, memory: 60 * MEGABYTE, import: 3, list: 2 }

/**
 * Measures an export and an import of the admin site, with their jobs, events and audit rows, compared with a loop over
 * the bare driver; their memory; and the response time of the list while they run. [D6]
 */
export async function measureTransfers(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      rows: { type: 'string' },
      parts: { type: 'string', default: 'export,import' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { parts, quick } = values
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 1 : 3 })
  const otherwise = quick ? 150_000 : 1_000_000
  const rows = integerOption('rows', values.rows, { least: 150_000, otherwise })
  const folder = scratchFolder()
  try {
    const template = SqliteDatabase.create(join(folder.path, 'db.sqlite3'), 'sqlite')
    await template.fillFilms(rows, await benchUser())
    if (parts.includes('export')) await measureExport(template, folder.path, rounds)
    if (parts.includes('import')) await measureImport(template, folder.path, rows / 10, rounds)
    await template.close()
  } finally {
    folder.remove()
  }
}

async function measureExport(database: SqliteDatabase, folder: string, rounds: number) {
  const site = await TransferSite.start(database, join(folder, 'storage'))
  try {
    const idle = await idleOf(site)
    const ours: number[] = []
    const bare: number[] = []
    let memory = 0
    for (let round = 0; round < rounds; round++) {
      bare.push(await bareRun('bare_export', database.location, join(folder, 'bare.csv')))
      const { result, peak } = await withMemory(site, () => site.export())
      ours.push(result)
      memory = Math.max(memory, peak - idle.rss)
    }
    reportRatio('export', ours, bare, ALLOWED.export)
    report(
      `export: memory above idle ${(memory / MEGABYTE).toFixed(0)} MB (at most ${ALLOWED.memory / MEGABYTE} MB)`,
      memory > ALLOWED.memory
    )
    reportList('export', idle.list, await listDuring(site, () => site.export()))
  } finally {
    await site.stop()
  }
}

async function measureImport(
  template: SqliteDatabase,
  folder: string,
  count: number,
  rounds: number
) {
  const file = join(folder, 'films.csv')
  const rows = films(1, count).map(({ created_at: createdAt, ...film }) => film)
  await writeFile(file, stringify(rows, { header: true }))
  const blob = await openAsBlob(file)
  const ours: number[] = []
  const bare: number[] = []
  const dryRuns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const copy = await template.copy('bare')
    await copy.close()
    bare.push(await bareRun('bare_import', copy.location, file))
    await withSite(template, folder, async (site) => {
      const { dryRun, run } = await site.import(blob)
      ours.push(run)
      dryRuns.push(dryRun)
    })
  }
  reportRatio('import', ours, bare, ALLOWED.import)
  console.log(`import: its dry run took ${seconds(median(dryRuns))} s`)
  await withSite(template, folder, async (site) => {
    const idle = await idleOf(site)
    reportList('import', idle.list, await listDuring(site, () => site.import(blob)))
  })
}

/** Runs a site on a copy of the database. */
async function withSite(
  template: SqliteDatabase,
  folder: string,
  work: (site: TransferSite) => Promise<void>
) {
  const copy = await template.copy('site')
  const site = await TransferSite.start(copy, join(folder, 'storage'))
  try {
    await work(site)
  } finally {
    await site.stop()
    await copy.close()
  }
}

/** Runs a script in a process of its own. */
async function bareRun(script: string, database: string, file: string): Promise<number> {
  const path = fileURLToPath(new URL(`./${script}.ts`, import.meta.url))
  const args = ['--import=./scripts/loader.js', path, database, file]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout).milliseconds
}

function reportRatio(
  name: string,
  ours: readonly number[],
  bare: readonly number[],
  allowed: number
) {
  const ratio = median(ours) / median(bare)
  report(
    `${name}: bare ${seconds(median(bare))} s, ours ${seconds(median(ours))} s: ${ratio.toFixed(2)}x (at most ${allowed}x)`,
    ratio > allowed
  )
}

function reportList(name: string, idle: number, busy: number) {
  const ratio = busy / idle
  report(
    `${name}: the list meanwhile ${busy.toFixed(1)} ms, without ${idle.toFixed(1)} ms: ${ratio.toFixed(2)}x (at most ${ALLOWED.list}x)`,
    ratio > ALLOWED.list
  )
}

function report(line: string, isMissed: boolean) {
  if (isMissed) process.exitCode = 1
  console.log(`${line} ${isMissed ? 'MISSED' : 'ok'}`)
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2)
