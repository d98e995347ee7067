import { Agent, request, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'
import { startApplication } from './helpers/application.js'
import { byTurns, timed } from './helpers/by_turns.js'
import { integerOption } from './helpers/options.js'
import { median } from './helpers/statistics.js'

const agent = new Agent({ keepAlive: true })
const BULK = 1000
const ALLOWED = { update: 1.15, bulk: 2 }

/** Measures updates and bulk deletes with and without the event log. */
export async function compareLogging(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const otherwise = values.quick ? 100 : 400
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise })
  const { stop } = await startApplication()
  try {
    await measure(rounds)
  } finally {
    await stop()
  }
}

async function measure(rounds: number) {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminSite, AdminUser } = await import('#admin')
  const { observeWrites } = await import('#crud')
  const { default: Film } = await import('./models/film.js')
  const site = await app.container.make(AdminSite)
  const view = site.models.get('Film')!
  const client = view.client()

  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  const cookie = await site.adminAuthentication.cookieHeader(user)
  const film = await Film.create({ title: 'Casablanca', director: 'Michael Curtiz' })
  const options = { client, actor: { kind: 'admin' as const, user } }
  let stopLogging = observeWrites(site.events)
  const withAndWithout = (write: () => Promise<number>, times: number) =>
    byTurns(times, {
      with: () => {
        stopLogging()
        stopLogging = observeWrites(site.events)
        return write()
      },
      without: () => {
        stopLogging()
        return write()
      },
    })

  let turn = 0
  const values = () => ({ director: `Director ${turn++}` })
  const json = (path: string, headers = {}) =>
    send('PATCH', path, JSON.stringify(values()), {
      ...headers,
      'content-type': 'application/json',
    })
  const ways: Record<string, () => Promise<unknown>> = {
    'update by LucidCrud': () => view.crud.update(film.id, values(), options),
    'update by REST': () => json(`/api/films/${film.id}`),
    'update by admin REST': () => json(site.url(`/Film/crud/${film.id}`), { cookie }),
    'update by the form': () =>
      send(
        'POST',
        site.url(`/Film/form_update/${film.id}`),
        String(new URLSearchParams(values())),
        {
          cookie,
          'content-type': 'application/x-www-form-urlencoded',
        }
      ),
  }
  for (const [name, write] of Object.entries(ways)) {
    const times = await withAndWithout(() => timed(write), rounds)
    report(name, times, name === 'update by the form' ? ALLOWED.update : undefined)
  }

  const bulk = await withAndWithout(
    async () => {
      const keys = await insertFilms(client)
      return await timed(() => view.crud.deleteMany(keys, options))
    },
    Math.max(5, Math.round(rounds / 40))
  )
  report(`bulk delete of ${BULK}`, bulk, ALLOWED.bulk)
}

function report(name: string, times: Record<'with' | 'without', number[]>, allowed?: number) {
  const ratio = median(times.with) / median(times.without)
  const isSlow = allowed !== undefined && ratio > allowed
  const verdict = allowed === undefined ? '' : ` (at most ${allowed}x) ${isSlow ? 'MISSED' : 'ok'}`
  console.log(
    `${name.padEnd(22)} without ${median(times.without).toFixed(3)} ms, with ${median(times.with).toFixed(3)} ms: ${ratio.toFixed(2)}x${verdict}`
  )
  if (isSlow) process.exitCode = 1
}

async function insertFilms(client: any): Promise<number[]> {
  const films = Array.from({ length: BULK }, (_, index) => ({
    title: `Film ${index}`,
    created_at: '2026-01-01 00:00:00',
  }))
  for (let start = 0; start < BULK; start += 100) {
    await client
      .insertQuery()
      .table('films')
      .multiInsert(films.slice(start, start + 100))
  }
  const inserted = await client.from('films').select('id').orderBy('id', 'desc').limit(BULK)
  return inserted.map((row: { id: number }) => row.id)
}

/**
 * @throws Error  for a response other than success
 */
async function send(
  method: string,
  path: string,
  body: string,
  headers: Record<string, string>
): Promise<void> {
  const { HOST: host, PORT: port } = process.env
  const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ agent, host, port, method, path, headers })
      .on('response', (response) => response.resume().on('end', () => resolve(response)))
      .on('error', reject)
      .end(body)
  })
  if (statusCode! >= 400) throw new Error(`${method} ${path} answered ${statusCode}`)
}
