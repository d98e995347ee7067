import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type Call } from '../helpers/client.js'
import { makePlace, type Place } from '../helpers/databases.js'
import { until } from '../helpers/processes.js'
import { MOST_TIMES, MOST_WAIT, OWN, SecondUser } from '../helpers/second_user.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

/** Milliseconds to the first byte of a page after an import */
const MOST_AFTER = 1000
/**
 * Imports as many rows as `rows` says: new ones, then changes of all of them, then new ones on the console. A second user reads, saves and
 * logs in during it.
 */
export const concurrentImport: Scenario = {
  name: 'others',
  promise: `while a large file is imported, all or nothing, others read at most ${MOST_TIMES} times as slowly and wait at most ${MOST_WAIT} ms for a write; the job is done once, and the site responds after it`,
  databases: ['sqlite', 'better-sqlite3', 'postgres', 'mysql'],
  async run(kind, { rows }) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const { call, close } = clientOf(server.origin)
      const other = await SecondUser.create(server, call)
      const broken: string[] = []
      const figures = [other.figures]
      for (const kindOfRows of ['new', 'changed'] as const) {
        const { origin } = server
        const file = fileOf(kindOfRows, rows)
        const path = await tried(origin, file, cookie, kindOfRows === 'new' ? '' : 'id')
        await ended(place, 'import_trial')
        const during = await other.workDuring(`${rows} ${kindOfRows} rows`, async () => {
          const { status } = await send(`${origin}${path}/run`, {}, cookie)
          if (status !== 303)
            broken.push(`the import of ${kindOfRows} rows did not begin: ${status}`)
          await ended(place, 'import')
        })
        broken.push(...during.broken)
        const after = await pagesAfter(place, call, cookie)
        const slowest = Math.max(...Object.values(after))
        const jobs = await place.select(
          "select state, done, fault from admin_jobs where kind = 'import' order by id desc"
        )
        const [{ state, done, fault: error }] = jobs
        if (state !== 'done' || Number(done) !== rows)
          broken.push(`${kindOfRows}: ${state}, ${done} done, ${error}`)
        for (const [page, took] of Object.entries(after)) {
          if (took > MOST_AFTER)
            broken.push(`${kindOfRows}: afterwards ${page} took ${took.toFixed(0)} ms`)
        }
        figures.push(
          `${during.figures}, pages afterwards at most ${slowest.toFixed(0)} ms (${Object.entries(
            after
          )
            .map(([page, took]) => `${page} ${took.toFixed(0)}`)
            .join(', ')}), memory ${(server.memory / 1024 / 1024).toFixed(0)} MB`
        )
      }
      const onConsole = await other.workDuring(`${rows} rows by crud:import`, async () => {
        await importOnConsole(server!, fileOf('new', rows, 'Console'))
      })
      broken.push(...onConsole.broken)
      figures.push(onConsole.figures)
      close()
      return { figures: figures.join('; '), broken }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

/** Milliseconds of the pages that show what the import did */
async function pagesAfter(
  place: Place,
  call: Call,
  cookie: string
): Promise<Record<string, number>> {
  const [job] = await place.select(
    "select id from admin_jobs where kind = 'import' order by id desc limit 1"
  )
  const [event] = await place.select(
    "select id from admin_event_log where event_type = 'IMPORT' order by id desc limit 1"
  )
  const pages: Record<string, string> = {
    dashboard: '/admin',
    job: `/admin/management/jobs/${job.id}`,
    jobs: '/admin/management/jobs',
    events: '/admin/management/events',
    ...(event && { event: `/admin/management/events/${event.id}` }),
    list: '/admin/Product/',
    record: '/admin/Product/view/70',
    history: '/admin/Product/history/70',
  }
  const took: Record<string, number> = {}
  for (const [name, path] of Object.entries(pages)) {
    const response = await call('GET', path, undefined, { cookie, accept: 'text/html' })
    took[name] = response.status === 200 ? response.took : 60_000 + response.status
  }
  return took
}

async function importOnConsole(server: Server, file: File) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-fault-injection-'))
  const path = join(folder, 'products.csv')
  try {
    writeFileSync(path, await file.bytes())
    await server.ace(['crud:import', 'Product', path, '--key=none'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function fileOf(kind: 'new' | 'changed', count: number, name = 'Row'): File {
  const first = OWN + 1
  const lines = Array.from({ length: count }, (_, index) =>
    kind === 'new' ? `${name} ${index},Imported,Bulk,${index}` : `${first + index},${index + 1}`
  )
  const heading = kind === 'new' ? 'name,description,category,price' : 'id,price'
  return new File([[heading, ...lines].join('\r\n')], 'products.csv')
}

async function tried(origin: string, file: File, cookie: string, key: string): Promise<string> {
  const body = new FormData()
  body.append('file', file)
  const uploaded = await post(`${origin}/admin/Product/import`, body, cookie)
  const path = uploaded.headers.get('location')
  if (uploaded.status !== 303 || !path)
    throw new Error(`The file was not accepted: ${uploaded.status}`)
  const head = await file.slice(0, 100).text()
  const names = head.split('\r\n')[0].split(',')
  const columns = names.map((name, index) => [`column.${index}`, name])
  const fields = { ...Object.fromEntries(columns), key }
  const { status } = await send(`${origin}${path}/columns`, fields, cookie)
  if (status !== 303) throw new Error(`The columns were not accepted: ${status}`)
  return path
}

function send(url: string, fields: Record<string, string>, cookie: string): Promise<Response> {
  return post(url, new URLSearchParams(fields), cookie)
}

async function post(url: string, body: FormData | URLSearchParams, cookie: string) {
  return await fetch(url, { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
}

async function ended(place: Place, kind: string) {
  await until(async () => {
    await sleep(200)
    const jobs = await place.select(`select state from admin_jobs where kind = '${kind}'`)
    return jobs.every(({ state }) => ['done', 'failed', 'cancelled'].includes(state))
  }, 30 * 60_000)
}
