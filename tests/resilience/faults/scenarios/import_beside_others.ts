import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, signIn, type Call } from '../helpers/client.js'
import { makePlace, type Place } from '../helpers/databases.js'
import { until } from '../helpers/processes.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

/** Milliseconds that a write of another user may wait, in addition to the noise of the machine */
const MOST_WAIT = 1000
/** A read may take so many times as long as without an import, and so many milliseconds */
const MOST_TIMES = 2
const LEAST_READ = 40
/** Milliseconds to the first byte of a page after an import */
const MOST_AFTER = 1000
/** Rounds of reads without an import */
const ROUNDS = 30

const READ = [
  '/admin/Product/?page=2',
  '/admin/Product/update/7',
  '/admin/AdminUser/',
  '/admin/management/jobs',
  '/api/products?limit=20',
]

interface Times {
  reads: number[]
  writes: number[]
  logins: number[]
  faults: Set<string>
}

/**
 * Imports as many rows as `rows` says, twice: new ones, then changes of all of them. A second user reads, saves and
 * logs in meanwhile.
 */
export const importBesideOthers: Scenario = {
  name: 'others',
  promise: `while a large file is imported, all or nothing, others read at most ${MOST_TIMES} times as slowly and wait at most ${MOST_WAIT} ms for a write; the job is done once, and the site responds after it`,
  databases: ['sqlite', 'better-sqlite3', 'postgres', 'mysql'],
  async run(kind, { rows }) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const other = await signInAs(server, 'kim')
      /* Another one, as many logins of the reader would end the session that reads. */
      await signInAs(server, 'lou')
      const { call, close } = clientOf(server.origin)
      for (let index = 0; index < 60; index++) {
        const product = { name: `Own ${index}`, description: '-', category: 'Own', price: 1 }
        await call('POST', '/api/products', product)
      }
      const calm = times()
      for (let round = 0; round < ROUNDS; round++) await readAll(call, other, calm)
      const broken: string[] = []
      const figures: string[] = [`reads ${told(calm.reads)} ms without`]
      for (const kindOfRows of ['new', 'changed'] as const) {
        const file = fileOf(kindOfRows, rows)
        const path = await tried(server.origin, file, cookie, kindOfRows === 'new' ? '' : 'id')
        await ended(place, 'import_trial')
        const busy = times()
        let isOver = false
        const work = beside(server.origin, call, other, busy, () => isOver)
        const begun = performance.now()
        const { status } = await send(`${server.origin}${path}/run`, {}, cookie)
        if (status !== 303) broken.push(`the import of ${kindOfRows} rows did not begin: ${status}`)
        await ended(place, 'import')
        const seconds = (performance.now() - begun) / 1000
        isOver = true
        await work
        const after = await pagesAfter(place, call, cookie)
        const slowest = Math.max(...Object.values(after))
        const jobs = await place.select(
          "select state, done, fault from admin_jobs where kind = 'import' order by id desc"
        )
        const [{ state, done, fault }] = jobs
        if (state !== 'done' || Number(done) !== rows)
          broken.push(`${kindOfRows}: ${state}, ${done} done, ${fault}`)
        broken.push(
          ...faultsOf(kindOfRows, calm, busy),
          ...[...busy.faults].map((one) => `${kindOfRows}: ${one}`)
        )
        for (const [page, took] of Object.entries(after)) {
          if (took > MOST_AFTER)
            broken.push(`${kindOfRows}: afterwards ${page} took ${took.toFixed(0)} ms`)
        }
        figures.push(
          `${rows} ${kindOfRows} rows in ${seconds.toFixed(0)} s: reads ${told(busy.reads)} ms, writes ${told(busy.writes)} ms, logins ${told(busy.logins)} ms, pages afterwards at most ${slowest.toFixed(0)} ms (${Object.entries(
            after
          )
            .map(([page, took]) => `${page} ${took.toFixed(0)}`)
            .join(', ')}), memory ${(server.memory / 1024 / 1024).toFixed(0)} MB`
        )
      }
      close()
      return { figures: figures.join('; '), broken }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

function times(): Times {
  return { reads: [], writes: [], logins: [], faults: new Set() }
}

async function readAll(call: Call, cookie: string, { reads, faults }: Times) {
  for (const path of READ) {
    const { status, took } = await call('GET', path, undefined, { cookie, accept: 'text/html' })
    reads.push(took)
    if (status !== 200) faults.add(`GET ${path} was answered with ${status}`)
  }
}

/** A second user, who reads all the time, saves twice a second and logs in now and then. */
async function beside(
  origin: string,
  call: Call,
  cookie: string,
  all: Times,
  isOver: () => boolean
) {
  const reading = async () => {
    while (!isOver()) {
      await readAll(call, cookie, all)
      await sleep(100)
    }
  }
  const writing = async () => {
    for (let index = 0; !isOver(); index++) {
      const path = `/api/products/${(index % 50) + 1}`
      const { status, took } = await call('PATCH', path, { price: index })
      all.writes.push(took)
      if (status >= 300) all.faults.add(`PATCH was answered with ${status}`)
      await sleep(400)
    }
  }
  const loggingIn = async () => {
    while (!isOver()) {
      const begun = performance.now()
      await signIn(origin, 'lou', 'correct horse').catch((error) => all.faults.add(String(error)))
      all.logins.push(performance.now() - begun)
      await sleep(3000)
    }
  }
  await Promise.all([reading(), writing(), loggingIn()])
}

function faultsOf(kind: string, calm: Times, busy: Times): string[] {
  const broken: string[] = []
  const [usual, now] = [medianOf(calm.reads), medianOf(busy.reads)]
  if (now > Math.max(MOST_TIMES * usual, LEAST_READ)) {
    broken.push(
      `${kind}: reads took ${now.toFixed(0)} ms (median), without an import ${usual.toFixed(0)} ms`
    )
  }
  const longest = Math.max(0, ...busy.writes)
  if (longest > MOST_WAIT) broken.push(`${kind}: a write waited ${longest.toFixed(0)} ms`)
  return broken
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
    const answer = await call('GET', path, undefined, { cookie, accept: 'text/html' })
    took[name] = answer.status === 200 ? answer.took : 60_000 + answer.status
  }
  return took
}

function fileOf(kind: 'new' | 'changed', count: number): File {
  const first = 61
  const lines = Array.from({ length: count }, (_, index) =>
    kind === 'new' ? `Row ${index},Imported,Bulk,${index}` : `${first + index},${index + 1}`
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

function medianOf(all: readonly number[]): number {
  return quantileOf(all, 0.5)
}

function quantileOf(all: readonly number[], part: number): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length * part)] ?? 0
}

function told(all: readonly number[]): string {
  const parts = [quantileOf(all, 0.5), quantileOf(all, 0.95), Math.max(0, ...all)]
  return parts.map((one) => one.toFixed(0)).join('/')
}
