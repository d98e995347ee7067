/*
 * What a list of the admin site costs beside the REST list of the same films: the same pages of
 * 100,000 films, by turns in one run, so that both meet the same machine. What is timed is the server's
 * work on a request, from its arrival until the answer is handed over.
 * `npm run bench:list [-- ROUNDS [FILMS]]`
 */
import { performance } from 'node:perf_hooks'
import { startApplication } from './helpers/application.js'
import { distributors, films } from './helpers/films.js'
import { median } from './helpers/statistics.js'
import { TimedClient } from './helpers/timed_client.js'

const ROUNDS = Number(process.argv[2] ?? 50)
const FILMS = Number(process.argv[3] ?? 100_000)
const ROWS = 10
/* As many as a server has answered after some minutes: by then its code is compiled. */
const WARM_UP = 500
const ALLOWED = { ratio: 2, bytes: 10 * 1024 }

const { stop } = await startApplication()
const asker = new TimedClient()

try {
  await measure()
} finally {
  await stop()
  asker.close()
}

async function measure() {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminSite, AdminUser } = await import('#admin')
  const site = await app.container.make(AdminSite)
  const view = site.models.get('Film')!
  const client = view.client()
  await insertFilms(client)

  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  const cookie = await site.adminAuthentication.cookieHeader(user)
  const browser = { cookie, 'accept': 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' }
  /* What is logged of a view is written after the answer; the next one must not pay for it. */
  const settle = () => site.events.settle()
  const list = (query: string) => asker.get(site.url(`/Film/?${query}`), browser).finally(settle)
  const rest = (query: string) => asker.get(`/api/films?itemsPerPage=${ROWS}&${query}`)

  const deep = Math.floor(FILMS / ROWS / 2)
  for (let round = 0; round < WARM_UP; round++) {
    await list('')
    await rest('page=1&sort=-id')
  }
  await compare('page 1', {
    list: () => list(''),
    rest: () => rest('page=1&sort=-id'),
    count: () => timed(() => view.crud.count({}, { client })),
  })
  await compare('a deep page', {
    list: (round) => list(`page=${deep + round}`),
    rest: (round) => rest(`page=${deep + round}&sort=-id`),
  })
  await compare('by gross', {
    list: () => list('sort_by=worldwide_gross&sort_order=desc'),
    rest: () => rest('page=1&sort=-worldwide_gross'),
  })
  await compare('a search', {
    list: () => list('column-to-search=title&search-input=night'),
    rest: () => rest('page=1&sort=-id&title__ilike=%25night%25'),
    count: () => timed(() => view.crud.count({ title__ilike: '%night%' }, { client })),
  })
}

interface Answer {
  time: number
  bytes: number
}

/** Each is given the number of the round; `count` is what of REST's work is to count the films. */
interface Ways {
  list(round: number): Promise<Answer>
  rest(round: number): Promise<Answer>
  count?(): Promise<Answer>
}

/** Who comes first changes from round to round; the first rounds do not count. */
async function compare(name: string, ways: Ways) {
  const answers = { list: [] as Answer[], rest: [] as Answer[], count: [] as Answer[] }
  for (let round = -Math.ceil(ROUNDS / 5); round < ROUNDS; round++) {
    const turns = round % 2 === 0 ? (['list', 'rest'] as const) : (['rest', 'list'] as const)
    for (const one of [...turns, 'count'] as const) {
      const answer = await ways[one]?.(round)
      if (answer && round >= 0) answers[one].push(answer)
    }
  }
  const [list, rest, count] = [answers.list, answers.rest, answers.count].map(timeOf)
  const bytes = Math.max(...answers.list.map((answer) => answer.bytes))
  const isSlow = list / rest > ALLOWED.ratio
  const isLarge = bytes > ALLOWED.bytes
  if (isSlow || isLarge) process.exitCode = 1
  const counting = ways.count ? ` (to count alone ${count.toFixed(2)} ms)` : ''
  console.log(
    `${name.padEnd(12)} REST ${rest.toFixed(2)} ms${counting}, list ${list.toFixed(2)} ms: ${(list / rest).toFixed(2)}x` +
      ` (at most ${ALLOWED.ratio}x) ${isSlow ? 'TOO SLOW' : 'ok'}; ${bytes} bytes${isLarge ? ' TOO LARGE' : ''}`
  )
}

async function timed(work: () => Promise<unknown>): Promise<Answer> {
  const start = performance.now()
  await work()
  return { time: performance.now() - start, bytes: 0 }
}

function timeOf(answers: Answer[]): number {
  return median(answers.map(({ time }) => time))
}

async function insertFilms(client: any) {
  await client.transaction(async (trx: any) => {
    await trx.table('distributors').multiInsert(distributors())
    for (let start = 0; start < FILMS; start += 500) {
      await trx.table('films').multiInsert(films(start + 1, Math.min(500, FILMS - start)))
    }
  })
}
