import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type Call } from '../helpers/client.js'
import { makePlace, type Place } from '../helpers/databases.js'
import { until } from '../helpers/processes.js'
import { MOST_TIMES, MOST_WAIT, SecondUser } from '../helpers/second_user.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

/* Records of one `insert` */
const AT_ONCE = 500
/** Fewer records are not a job */
const LEAST = 1001
/** Films of each distributor, which the database deletes with it */
const FILMS = 3

/**
 * Edits and deletes as many products as `rows` says, and a tenth as many distributors with their films, and undoes each.
 */
export const concurrentBulk: Scenario = {
  name: 'bulk-others',
  promise: `while bulk jobs change, delete and put back many records, others read at most ${MOST_TIMES} times as slowly and wait at most ${MOST_WAIT} ms for a write; each is undone as a whole`,
  databases: ['sqlite', 'better-sqlite3'],
  async run(kind, options) {
    const rows = Math.max(LEAST, options.rows)
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      await server.stop()
      await deleteFilmsWithDistributors(place)
      await server.start()
      const cookie = await signInAs(server, 'jo')
      const { call, close } = clientOf(server.origin)
      const other = await SecondUser.create(server, call)
      await fillProducts(place, rows)
      const distributors = Math.max(LEAST, Math.ceil(rows / 10))
      await fillDistributors(place, distributors)
      const broken: string[] = []
      const figures = [other.figures]
      const perform = async (name: string, send: () => Promise<number>) => {
        const during = await other.workDuring(name, async () => {
          const job = await ended(place, await send())
          if (job.state !== 'done') broken.push(`${name}: ${job.state}, ${job.error}`)
        })
        figures.push(during.figures)
        broken.push(...during.broken)
      }
      const order = { all: true, query: 'filter.category=Bulk', count: rows }
      const all = { all: true, query: '', count: distributors }
      const steps: Array<[string, string, string, object]> = [
        ['edit', 'POST', 'Product/bulk-edit', { ...order, values: { price: 5 } }],
        ['delete', 'DELETE', 'Product/bulk-delete', order],
        ['delete with films', 'DELETE', 'Distributor/bulk-delete', all],
      ]
      for (const [name, method, path, json] of steps) {
        const before = await stateOf(place)
        let id = 0
        await perform(name, async () => {
          id = await started(call, method, `/admin/${path}`, json, cookie)
          return id
        })
        const undo = `/admin/management/jobs/${id}/undo`
        await perform(`undo of ${name}`, () => started(call, 'POST', undo, {}, cookie))
        const after = await stateOf(place)
        if (after !== before) broken.push(`after the undo of ${name}: ${after}, before: ${before}`)
      }
      close()
      return { figures: figures.join('; '), broken }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

async function started(
  call: Call,
  method: string,
  path: string,
  json: object,
  cookie: string
): Promise<number> {
  const { status, body } = await call(method, path, json, { cookie })
  if (status !== 202) throw new Error(`${path} did not begin: ${status} ${JSON.stringify(body)}`)
  return body.job.id
}

async function ended(place: Place, id: number): Promise<Record<string, any>> {
  const job = async () => {
    const [row] = await place.select(`select state, fault from admin_jobs where id = ${id}`)
    return row
  }
  const isOver = async () => {
    await sleep(200)
    const { state } = await job()
    return ['done', 'failed', 'cancelled'].includes(state)
  }
  await until(isOver, 30 * 60_000)
  return await job()
}

async function stateOf(place: Place): Promise<string> {
  const [products] = await place.select(
    "select count(*) as number, sum(price) as prices, sum(is_deleted) as deleted from products where category = 'Bulk'"
  )
  const [films] = await place.select(
    'select count(*) as films, count(distinct distributor_id) as distributors from films'
  )
  return JSON.stringify({ ...products, ...films })
}

async function fillProducts(place: Place, rows: number) {
  await fill(place, 'products (name, description, category, price, created_at)', rows, (index) => [
    `'Bulk ${index}', 'x', 'Bulk', ${index}, '2026-01-02 03:04:05'`,
  ])
}

async function fillDistributors(place: Place, rows: number) {
  const into = 'distributors (id, name, created_at)'
  const at = "'2026-01-02 03:04:05'"
  await fill(place, into, rows, (index) => [`${index + 1}, 'Distributor ${index}', ${at}`])
  await fill(place, 'films (title, distributor_id, created_at)', rows, (index) =>
    Array.from({ length: FILMS }, (_, film) => `'Film ${index}.${film}', ${index + 1}, ${at}`)
  )
}

async function fill(
  place: Place,
  into: string,
  rows: number,
  valuesOf: (index: number) => string[]
) {
  for (let first = 0; first < rows; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, rows - first)
    const values = Array.from({ length }, (_, index) => valuesOf(first + index)).flat()
    await place.select(`insert into ${into} values ${values.map((one) => `(${one})`).join()}`)
  }
}

/** The table of films has no rows yet. */
async function deleteFilmsWithDistributors(place: Place) {
  const [{ sql }] = await place.select("select sql from sqlite_master where name = 'films'")
  const indexes = await place.select(
    "select sql from sqlite_master where tbl_name = 'films' and type = 'index' and sql is not null"
  )
  await place.select('drop table films')
  await place.select(sql.replace(/on delete restrict/i, 'on delete cascade'))
  for (const index of indexes) await place.select(index.sql)
}
