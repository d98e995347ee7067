import { parseArgs } from 'node:util'
import type { PermissionsDocument } from '#admin'
import { byTurns } from './helpers/by_turns.js'
import { insertFilms } from './helpers/films.js'
import { integerOption } from './helpers/options.js'
import { median } from './helpers/statistics.js'
import type { TimedClient } from './helpers/timed_client.js'
import { withTimedClient } from './helpers/with_timed_client.js'

/* Requests after which the server's code is compiled */
const WARM_UP = 500
/* Pages of one measurement: a single page is too short for the clock of the processor */
const PAGES = 10
const MOST = 1.1

const view = { actions: ['view'] }
const clerk = { actions: ['view', 'create', 'update'], hidden: ['us_gross'] }

/** The roles of who is compared with a superuser. */
const PEOPLE: Record<string, PermissionsDocument[]> = {
  'two roles, one of them with a scope': [
    { Film: { ...clerk, scopes: ['numbered'] } },
    { Distributor: view },
  ],
  'two roles and a scope on the same model': [
    { Film: { ...clerk, scopes: ['numbered'] }, Distributor: view },
    { Film: { ...view, hidden: ['worldwide_gross'], scopes: ['even'] } },
  ],
}

/**
 * Measures pages of the admin site's list for people with roles against those for a superuser:
 * processor time of this process, which is server and client. [U4]
 */
export async function compareRoles(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { quick } = values
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 20 : 100 })
  const rows = integerOption('rows', values.rows, { least: 100, otherwise: 1000 })
  await withTimedClient((client) => measure(client, rows, rounds))
}

async function measure(asker: TimedClient, rows: number, rounds: number) {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminRole, AdminSite, AdminUser } = await import('#admin')
  const site = await app.container.make(AdminSite)
  await insertFilms(site.models.get('Film')!.client(), rows)

  /** Logs a user in, and opens the list as that user. */
  async function enter(username: string, roles: PermissionsDocument[]) {
    const isSuperuser = roles.length === 0
    const user = await AdminUser.create({ username, hashedPassword: 'none', isSuperuser })
    for (const [index, permissions] of roles.entries()) {
      const role = await AdminRole.create({
        name: `${username} ${index}`,
        description: '',
        permissions,
      })
      await user.related('roles').attach([role.id])
    }
    const cookie = await site.adminAuthentication.cookieHeader(user)
    const browser = { cookie, 'accept': 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' }
    return async () => {
      const start = process.cpuUsage()
      for (let page = 1; page <= PAGES; page++) {
        await asker.get(site.url(`/Film/?page=${page}`), browser)
        await site.events.settle()
      }
      const { user: own, system } = process.cpuUsage(start)
      return (own + system) / 1000 / PAGES
    }
  }

  const superuser = await enter('superuser', [])
  for (const [index, [name, roles]] of Object.entries(PEOPLE).entries()) {
    const person = await enter(`person-${index}`, roles)
    for (let round = 0; round < WARM_UP / PAGES; round++) {
      await superuser()
      await person()
    }
    const times = await byTurns(rounds, { superuser, person })
    const [of, than] = [median(times.person), median(times.superuser)]
    /* Neighbours in time have met the same conditions. */
    const ratio = median(times.person.map((time, round) => time / times.superuser[round]))
    if (ratio > MOST) process.exitCode = 1
    console.log(
      `${name}: ${of.toFixed(2)} ms a page, a superuser ${than.toFixed(2)} ms: ${ratio.toFixed(2)}x` +
        ` (at most ${MOST}x) ${ratio > MOST ? 'MISSED' : 'ok'}`
    )
  }
}
