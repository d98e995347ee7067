import { parseArgs } from 'node:util'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { integerOption } from './helpers/options.js'
import { median } from './helpers/statistics.js'
import type { TimedClient } from './helpers/timed_client.js'
import { withTimedClient } from './helpers/with_timed_client.js'

const MODELS = 20
const MOST = 200

const WORDS = 'night river summer house last stranger return city letter winter'.split(' ')

/** Searches of the site, by what they find */
const SEARCHES = {
  'titles that begin with it': 'night river 1',
  'one title': 'winter letter 77',
  'a part of titles': 'etter 9999',
  'nothing': 'zzyzx',
}

/** Measures the search of the site over 20 models with an index on their titles: server time of a request. [L12] */
export async function measurePalette(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const rounds = integerOption('rounds', values.rounds, {
    least: 1,
    otherwise: values.quick ? 3 : 10,
  })
  const rows = integerOption('rows', values.rows, { least: 1000, otherwise: 100_000 })
  await withTimedClient((client) => measure(client, rows, rounds))
}

async function measure(client: TimedClient, rows: number, rounds: number) {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const { AdminSite, AdminUser } = await import('#admin')
  const site = await app.container.make(AdminSite)
  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  const cookie = await site.adminAuthentication.cookieHeader(user)
  for (let index = 0; index < MODELS; index++) {
    const name = `Shelf${index}`
    await fill(db.connection(), `shelf_${index}`, rows)
    site.addModel(modelOf(name, `shelf_${index}`))
  }

  for (const [name, q] of Object.entries(SEARCHES)) {
    const times: number[] = []
    for (let round = -2; round < rounds; round++) {
      const path = site.url(`/search?${new URLSearchParams({ q })}`)
      const { time } = await client.get(path, { cookie, 'hx-request': 'true' })
      if (round >= 0) times.push(time)
    }
    const took = median(times)
    if (took > MOST) process.exitCode = 1
    console.log(
      `${name.padEnd(26)} ${took.toFixed(0)} ms, at worst ${Math.max(...times).toFixed(0)} ms` +
        ` (at most ${MOST}) ${took > MOST ? 'MISSED' : 'ok'}`
    )
  }
}

function modelOf(name: string, table: string): LucidModel {
  class Shelf extends BaseModel {
    static table = table

    @column({ isPrimary: true })
    declare id: number

    @column()
    declare title: string
  }
  Object.defineProperty(Shelf, 'name', { value: name })
  return Shelf
}

async function fill(client: any, table: string, rows: number) {
  await client.schema.createTable(table, (columns: any) => {
    columns.increments('id')
    columns.string('title', 255).notNullable().index()
  })
  const titles = Array.from({ length: rows }, (_, index) => ({
    title: `${WORDS[index % 10]} ${WORDS[Math.floor(index / 10) % 10]} ${index}`,
  }))
  await client.transaction(async (transaction: any) => {
    for (let start = 0; start < rows; start += 400) {
      await transaction.table(table).multiInsert(titles.slice(start, start + 400))
    }
  })
}
