import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type Call } from '../helpers/client.js'
import { allProducts, disagreements } from '../helpers/agreement.js'
import { KINDS, makePlace, type Place } from '../helpers/databases.js'
import { Processes, until } from '../helpers/processes.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

const ROWS = 8000
/* Interval of invalid rows in the import in parts */
const INVALID_EVERY = 400
const INVALID = ROWS / INVALID_EVERY
/* A job that is killed a third time fails, and says so. */
const KILLS = 2

const PARTS = 'Anvils'
const WHOLE = 'Bells'
const CATEGORIES = [PARTS, WHOLE]

interface Job {
  id: number
  state: string
  done: number
  /** What its import says that was done */
  counts: { new: number; faulty: number } | null
  category: string
}

export const killedImports: Scenario = {
  name: 'imports',
  promise:
    'a server and a worker, killed twice in the middle of an import in parts and of one as a whole: what is noted is done and nothing else, the imports go on, and each row is imported once',
  databases: KINDS,
  async run(kind) {
    const place = await makePlace(kind)
    let processes: Processes | undefined
    try {
      processes = await Processes.start(place.variables)
      const { origin } = processes.server
      const cookie = await signInAs(processes.server, 'jo')
      const broken: string[] = []
      const imports: string[] = []
      for (const category of CATEGORIES) imports.push(await tried(origin, category, cookie))
      await ended(place, 'import_trial')
      for (const [index, path] of imports.entries()) {
        const fields: Record<string, string> =
          CATEGORIES[index] === PARTS ? { skip_faulty: '1' } : {}
        const { status } = await send(`${origin}${path}/run`, fields, cookie)
        if (status !== 303)
          broken.push(`the import of ${CATEGORIES[index]} did not begin: ${status}`)
      }
      const begun = performance.now()
      const kills: string[] = []
      for (let round = 0; round < KILLS && broken.length === 0; round++) {
        /* Somewhere in the first transactions, and between the parts. */
        await (round === 0 ? begins(place) : movement(place))
        await sleep(Math.random() * (round === 0 ? 1500 : 500))
        await processes.kill()
        const jobs = await jobsOf(place)
        kills.push(jobs.map(({ done }) => done).join(' and '))
        broken.push(...(await differences(place, jobs)))
        await processes.again()
      }
      await ended(place, 'import')
      const jobs = await jobsOf(place)
      if (jobs.length !== CATEGORIES.length) broken.push(`there are ${jobs.length} jobs`)
      for (const { id, state, done } of jobs) {
        if (state !== 'done' || done !== ROWS) broken.push(`job ${id} is ${state}, ${done} done`)
      }
      broken.push(...(await differences(place, jobs)))
      const { call, close } = clientOf(origin)
      broken.push(...(await outcomes(place, call)))
      close()
      const seconds = (performance.now() - begun) / 1000
      return {
        figures: `in parts and as a whole, ${ROWS} rows each, killed with ${kills.join(', then ')} done, over after ${seconds.toFixed(0)} s`,
        broken: broken.slice(0, 10),
      }
    } finally {
      await processes?.kill()
      await place.remove()
    }
  },
}

/** The CSV file of a category. */
function fileOf(category: string): File {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const isInvalid = category === PARTS && index % INVALID_EVERY === 7
    const description = 'x'.repeat(60)
    return `${category} ${index},${description},${category},${isInvalid ? 'dear' : index}`
  })
  return new File([['name,description,category,price', ...rows].join('\r\n')], 'products.csv')
}

/**
 * Uploads a file, and has it tried.
 *
 * @returns path of the import
 */
async function tried(origin: string, category: string, cookie: string): Promise<string> {
  const body = new FormData()
  body.append('file', fileOf(category))
  const uploaded = await post(`${origin}/admin/Product/import`, body, cookie)
  const path = uploaded.headers.get('location')
  if (uploaded.status !== 303 || !path)
    throw new Error(`The file was not taken: ${uploaded.status}`)
  const names = ['name', 'description', 'category', 'price']
  const columns = names.map((name, index): [string, string] => [`column.${index}`, name])
  const { status } = await send(
    `${origin}${path}/columns`,
    { ...Object.fromEntries(columns), key: '' },
    cookie
  )
  if (status !== 303) throw new Error(`The columns were not taken: ${status}`)
  return path
}

function send(url: string, fields: Record<string, string>, cookie: string): Promise<Response> {
  return post(url, new URLSearchParams(fields), cookie)
}

async function post(url: string, body: FormData | URLSearchParams, cookie: string) {
  return await fetch(url, { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
}

/** The jobs that write, that in parts first. */
async function jobsOf(place: Place): Promise<Job[]> {
  const rows = await place.select(
    "select admin_jobs.id, admin_jobs.state, done, payload, counts from admin_jobs left join admin_imports on admin_imports.job_id = admin_jobs.id where kind = 'import' order by admin_jobs.id"
  )
  return rows.map(({ id, state, done, payload, counts }) => ({
    id,
    state,
    done: Number(done),
    counts: read(counts),
    category: read(payload).skipFaulty ? PARTS : WHOLE,
  }))
}

function read(json: any): any {
  return typeof json === 'string' ? JSON.parse(json) : json
}

/** Waits until a job runs. */
async function begins(place: Place) {
  await until(async () => {
    const jobs = await jobsOf(place)
    return jobs.some(({ state }) => state === 'running')
  })
}

/** Waits until the import in parts has done another one. */
async function movement(place: Place) {
  const done = async () => {
    const jobs = await jobsOf(place)
    return jobs.find(({ category }) => category === PARTS)?.done ?? 0
  }
  const before = await done()
  await until(async () => (await done()) > before)
}

async function ended(place: Place, kind: string) {
  await until(async () => {
    const jobs = await place.select(`select state from admin_jobs where kind = '${kind}'`)
    return jobs.every(({ state }) => !['queued', 'running'].includes(state))
  })
}

/** Imports whose progress is not the number of imported rows. */
async function differences(place: Place, jobs: Job[]): Promise<string[]> {
  const broken: string[] = []
  for (const { id, done, category, counts } of jobs) {
    const [{ found }] = await place.select(
      `select count(*) as found from products where category = '${category}'`
    )
    const said = counts ? Number(counts.new) : 0
    if (Number(found) !== said) broken.push(`import ${id} says ${said}, and ${found} are there`)
    const rows = counts ? said + Number(counts.faulty) : 0
    if (rows !== done) broken.push(`job ${id} says ${done} rows, and its import ${rows}`)
    if (category === WHOLE && ![0, ROWS].includes(said)) {
      broken.push(`the import as a whole has done ${said}`)
    }
  }
  return broken
}

/** Rows that are missing or doubled, and what the log says otherwise. */
async function outcomes(place: Place, call: Call): Promise<string[]> {
  const broken: string[] = []
  const names = await place.select('select name, count(*) as times from products group by name')
  const wanted = 2 * ROWS - INVALID
  if (names.length !== wanted) broken.push(`${names.length} products in the place of ${wanted}`)
  for (const { name, times } of names) {
    if (Number(times) !== 1) broken.push(`${name} is there ${times} times`)
  }
  const twice = await place.select(
    "select resource_id, count(*) as times from admin_audit_log where resource_type = 'Product' group by resource_id having count(*) > 1"
  )
  for (const { resource_id: id, times } of twice) broken.push(`product ${id} has ${times} entries`)
  const events = await place.select("select id from admin_event_log where event_type = 'IMPORT'")
  if (events.length !== CATEGORIES.length) broken.push(`the imports are ${events.length} events`)
  return [...broken, ...(await disagreements(place, await allProducts(call)))]
}
