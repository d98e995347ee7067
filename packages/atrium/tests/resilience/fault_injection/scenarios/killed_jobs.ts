import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type Call } from '../helpers/client.js'
import { allProducts, disagreements } from '../helpers/agreement.js'
import { KINDS, makePlace, type Place } from '../helpers/databases.js'
import { Processes, until } from '../helpers/processes.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

const CATEGORIES = ['Anvils', 'Bells']
const EACH = 6000
/* Records of one `insert` */
const AT_ONCE = 500
/* A job that is killed a third time fails, and says so. */
const KILLS = 2

interface Job {
  id: number
  model: string
  state: string
  done: number
  pending: number | null
  category: string
}

export const killedJobs: Scenario = {
  name: 'jobs',
  promise:
    'a server and a worker, killed twice in the middle of bulk jobs: what is noted is done and nothing else, the jobs go on, and each record is changed once',
  databases: KINDS,
  async run(kind) {
    const place = await makePlace(kind)
    let processes: Processes | undefined
    try {
      processes = await Processes.start(place.variables)
      const cookie = await signInAs(processes.server, 'jo')
      const { call, close } = clientOf(processes.server.origin)
      for (const category of CATEGORIES) await fill(place, category)
      const broken: string[] = []
      for (const category of CATEGORIES) {
        const order = { all: true, query: `filter.category=${category}`, count: EACH }
        const { status } = await call('DELETE', '/admin/Product/bulk-delete', order, { cookie })
        if (status !== 202) broken.push(`the deletion of ${category} was not begun: ${status}`)
      }
      const begun = performance.now()
      const kills: string[] = []
      for (let round = 0; round < KILLS && broken.length === 0; round++) {
        await movement(place)
        await sleep(Math.random() * 300)
        await processes.kill()
        const jobs = await jobsOf(place)
        kills.push(jobs.map(({ done }) => done).join(' and '))
        broken.push(...(await differences(place, jobs)))
        await processes.again()
      }
      await ended(place)
      const jobs = await jobsOf(place)
      for (const { id, state, done } of jobs) {
        if (state !== 'done' || done !== EACH) broken.push(`job ${id} is ${state}, ${done} done`)
      }
      broken.push(...(await differences(place, jobs)), ...(await outcomes(place, call)))
      close()
      const seconds = (performance.now() - begun) / 1000
      return {
        figures: `${CATEGORIES.length} jobs of ${EACH}, killed with ${kills.join(', then ')} done, over after ${seconds.toFixed(0)} s`,
        broken: broken.slice(0, 10),
      }
    } finally {
      await processes?.kill()
      await place.remove()
    }
  },
}

async function fill(place: Place, category: string) {
  for (let first = 0; first < EACH; first += AT_ONCE) {
    const rows = Array.from(
      { length: AT_ONCE },
      (_, index) => `('${category} ${first + index}', 'x', '${category}', 1, '2026-01-02 03:04:05')`
    )
    await place.select(
      `insert into products (name, description, category, price, created_at) values ${rows.join()}`
    )
  }
}

async function jobsOf(place: Place): Promise<Job[]> {
  const rows = await place.select(
    'select id, model, state, done, pending, payload from admin_jobs order by id'
  )
  return rows.map(({ id, model, state, done, pending, payload }) => {
    const { query } = typeof payload === 'string' ? JSON.parse(payload) : payload
    const category = CATEGORIES.find((one) => query.includes(one))!
    return { id, model, state, done: Number(done), pending, category }
  })
}

/** Waits until the jobs have done another step. */
async function movement(place: Place) {
  const done = async () => {
    const jobs = await jobsOf(place)
    return jobs.reduce((sum, job) => sum + job.done, 0)
  }
  const before = await done()
  await until(async () => (await done()) > before)
}

async function ended(place: Place) {
  await until(async () => {
    const jobs = await jobsOf(place)
    return jobs.every(({ state }) => !['queued', 'running'].includes(state))
  })
}

/** Jobs whose progress is not the number of deleted records. */
async function differences(place: Place, jobs: Job[]): Promise<string[]> {
  const broken: string[] = []
  for (const { id, done, category } of jobs) {
    const rows = await place.select(
      `select is_deleted from products where category = '${category}'`
    )
    const deleted = rows.filter(({ is_deleted: isDeleted }) => Boolean(isDeleted)).length
    if (deleted !== done) broken.push(`job ${id} says ${done} done, and ${deleted} are deleted`)
  }
  return broken
}

/** Records that were not changed once, or of which the log says something else. */
async function outcomes(place: Place, call: Call): Promise<string[]> {
  const twice = await place.select(
    "select resource_id, count(*) as times from admin_audit_log where resource_type = 'Product' group by resource_id having count(*) > 1"
  )
  const items = await allProducts(call)
  return [
    ...twice.map(({ resource_id: id, times }) => `product ${id} was deleted ${times} times`),
    ...(await disagreements(place, items)),
  ]
}
