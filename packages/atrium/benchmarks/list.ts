import { parseArgs } from 'node:util'
import { byTurns, timed } from './helpers/by_turns.js'
import { insertFilms } from './helpers/films.js'
import { integerOption } from './helpers/options.js'
import { median } from './helpers/statistics.js'
import type { TimedResponse, TimedClient } from './helpers/timed_client.js'
import { withTimedClient } from './helpers/with_timed_client.js'

const ROWS_A_PAGE = 10
/* Requests after which the server's code is compiled */
const WARM_UP = 500
const ALLOWED = { ratio: 2, bytes: 10 * 1024, facets: 300 }

interface Ways {
  list(round: number): Promise<TimedResponse>
  rest(round: number): Promise<TimedResponse>
  /** Counts the films, which is part of the REST request */
  count?(): Promise<number>
}

/**
 * Measures pages of the admin site's list against the same pages of the REST list: server time from
 * the arrival of a request to its response.
 */
export async function compareLists(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { quick } = values
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 10 : 50 })
  const rows = integerOption('rows', values.rows, { least: 1000, otherwise: 100_000 })
  await withTimedClient((client) => measure(client, rows, rounds))
}

async function measure(asker: TimedClient, rows: number, rounds: number) {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminSite, AdminUser } = await import('#admin')
  const site = await app.container.make(AdminSite)
  const view = site.models.get('Film')!
  const client = view.client()
  await insertFilms(client, rows)

  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  const cookie = await site.adminAuthentication.cookieHeader(user)
  const browser = { cookie, 'accept': 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' }
  /* Views are logged after the response; the next request must not be charged for it. */
  const settle = () => site.events.settle()
  const list = (query: string) => asker.get(site.url(`/Film/?${query}`), browser).finally(settle)
  const rest = (query: string) => asker.get(`/api/films?itemsPerPage=${ROWS_A_PAGE}&${query}`)

  const deep = Math.floor(rows / ROWS_A_PAGE / 2)
  for (let round = 0; round < WARM_UP; round++) {
    await list('')
    await rest('page=1&sort=-id')
  }
  await compare('page 1', rounds, {
    list: () => list(''),
    rest: () => rest('page=1&sort=-id'),
    count: () => timed(() => view.crud.count({}, { client })),
  })
  await compare('a deep page', rounds, {
    list: (round) => list(`page=${deep + round}`),
    rest: (round) => rest(`page=${deep + round}&sort=-id`),
  })
  await compare('by gross', rounds, {
    list: () => list('sort_by=worldwide_gross&sort_order=desc'),
    rest: () => rest('page=1&sort=-worldwide_gross'),
  })
  await compare('a search', rounds, {
    list: () => list('column-to-search=title&search-input=night'),
    rest: () => rest('page=1&sort=-id&title__ilike=%25night%25'),
    count: () => timed(() => view.crud.count({ title__ilike: '%night%' }, { client })),
  })
  await compare('the last page', rounds, {
    list: () => list(`page=${rows / ROWS_A_PAGE}`),
    rest: () => rest(`page=${rows / ROWS_A_PAGE}&sort=-id`),
  })
  const facets = await byTurns(rounds, {
    facets: () => asker.get(site.url('/Film/facets'), { ...browser, 'hx-request': 'true' }),
  })
  reportFacets(median(facets.facets.map(({ time }) => time)))
}

function reportFacets(time: number) {
  const isSlow = time > ALLOWED.facets
  if (isSlow) process.exitCode = 1
  console.log(
    `three facets ${time.toFixed(2)} ms (at most ${ALLOWED.facets} ms) ${isSlow ? 'MISSED' : 'ok'}`
  )
}

async function compare(name: string, rounds: number, { list, rest, count }: Ways) {
  const responses = await byTurns(rounds, { list, rest })
  const times = {
    list: median(responses.list.map(({ time }) => time)),
    rest: median(responses.rest.map(({ time }) => time)),
  }
  const ratio = times.list / times.rest
  const bytes = Math.max(...responses.list.map((response) => response.bytes))
  const isSlow = ratio > ALLOWED.ratio
  const isLarge = bytes > ALLOWED.bytes
  if (isSlow || isLarge) process.exitCode = 1
  const counts = count && (await byTurns(rounds, { count }))
  const counting = counts ? ` (counting alone ${median(counts.count).toFixed(2)} ms)` : ''
  console.log(
    `${name.padEnd(12)} REST ${times.rest.toFixed(2)} ms${counting}, list ${times.list.toFixed(2)} ms: ${ratio.toFixed(2)}x` +
      ` (at most ${ALLOWED.ratio}x) ${isSlow ? 'MISSED' : 'ok'}; ${bytes} bytes${isLarge ? ' MISSED' : ''}`
  )
}
