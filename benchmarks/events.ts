/*
 * What logging costs: updates and bulk deletes with the event log and without it, by turns in one run,
 * so that both meet the same machine. `npm run bench:events [-- ROUNDS]`
 */
import { Agent, request as nodeRequest } from 'node:http'
import { performance } from 'node:perf_hooks'
import { startApplication } from './helpers/application.js'
import { median } from './helpers/statistics.js'

const ROUNDS = Number(process.argv[2] ?? 400)
const BULK_ROUNDS = Math.max(5, Math.round(ROUNDS / 40))
const BULK = 1000
const agent = new Agent({ keepAlive: true })
const ALLOWED = { update: 1.15, bulk: 2 }

const { stop } = await startApplication()
try {
  await measure()
} finally {
  await stop()
}

async function measure() {
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
  const logged = (isLogged: boolean) => {
    stopLogging()
    if (isLogged) stopLogging = observeWrites(site.events)
  }

  let turn = 0
  const ways: Record<string, () => Promise<unknown>> = {
    'update by LucidCrud': () =>
      view.crud.update(film.id, { director: `Director ${turn}` }, options),
    'update by REST': () =>
      send('PATCH', `/api/films/${film.id}`, { director: `Director ${turn}` }, {}),
  }
  const endpoint = site.url(`/Film/crud/${film.id}`)
  const patch = () => send('PATCH', endpoint, { director: `Director ${turn}` }, { cookie })
  const form = site.url(`/Film/form_update/${film.id}`)
  const submit = () =>
    send('POST', form, new URLSearchParams({ director: `Director ${turn}` }), { cookie })
  if ((await patch()) === 200) ways['update by admin REST'] = patch
  if ((await submit()) === 303) ways['update by the form'] = submit

  for (const [name, write] of Object.entries(ways)) {
    const times = await byTurns(ROUNDS, logged, async () => {
      turn++
      return await timed(write)
    })
    report(name, times, name === 'update by the form' ? ALLOWED.update : undefined)
  }

  const bulk = await byTurns(BULK_ROUNDS, logged, async () => {
    const rows = Array.from({ length: BULK }, (_, index) => ({ title: `Film ${index}` }))
    const keys = await insertFilms(client, rows)
    return await timed(() => view.crud.deleteMany(keys, options))
  })
  report(`bulk delete of ${BULK}`, bulk, ALLOWED.bulk)
}

type Times = Record<'with' | 'without', number[]>

/** Who comes first changes from round to round; the first rounds only warm up. */
async function byTurns(
  rounds: number,
  logged: (isLogged: boolean) => void,
  once: () => Promise<number>
): Promise<Times> {
  const times: Times = { with: [], without: [] }
  const warmUp = Math.ceil(rounds / 5)
  for (let round = -warmUp; round < rounds; round++) {
    const turns = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)
    for (const one of turns) {
      logged(one === 'with')
      const time = await once()
      if (round >= 0) times[one].push(time)
    }
  }
  return times
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function report(name: string, times: Times, allowed?: number) {
  const ratio = median(times.with) / median(times.without)
  const isSlow = allowed !== undefined && ratio > allowed
  const verdict =
    allowed === undefined ? '' : ` (at most ${allowed}x) ${isSlow ? 'TOO SLOW' : 'ok'}`
  console.log(
    `${name.padEnd(22)} without ${median(times.without).toFixed(3)} ms, with ${median(times.with).toFixed(3)} ms: ${ratio.toFixed(2)}x${verdict}`
  )
  if (isSlow) process.exitCode = 1
}

async function insertFilms(client: any, rows: Array<{ title: string }>): Promise<number[]> {
  const created = '2026-01-01 00:00:00'
  for (let start = 0; start < rows.length; start += 100) {
    const some = rows.slice(start, start + 100).map((row) => ({ ...row, created_at: created }))
    await client.insertQuery().table('films').multiInsert(some)
  }
  const inserted = await client.from('films').select('id').orderBy('id', 'desc').limit(rows.length)
  return inserted.map((row: { id: number }) => row.id)
}

function send(
  method: string,
  path: string,
  body: object,
  headers: Record<string, string>
): Promise<number> {
  const isForm = body instanceof URLSearchParams
  const text = isForm ? body.toString() : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const { HOST: host, PORT: port } = process.env
    const request = nodeRequest({ agent, host, port, method, path })
    request.setHeader('content-type', type)
    for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
    request.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    request.on('error', reject).end(text)
  })
}
