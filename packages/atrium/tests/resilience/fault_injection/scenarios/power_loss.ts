import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../helpers/client.js'
import { fileErrors } from '../helpers/agreement.js'
import { makePlace, placeInFolder, type Place } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import type { Scenario } from '../scenario.js'

const WRITERS = 20
const COPIES = 8

export const powerLoss: Scenario = {
  name: 'powerloss',
  promise:
    'copied at any moment of 20 concurrent writers, the files open and have all that was acknowledged, each with its event',
  databases: ['sqlite', 'better-sqlite3'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start({ ...place.variables, DB_SYNCHRONOUS: 'full' })
      const { call, close } = clientOf(server.origin, WRITERS)
      const acknowledged: number[] = []
      const broken: string[] = []
      let isOver = false
      const writers = Array.from({ length: WRITERS }, async (_, writer) => {
        while (!isOver) {
          const values = { name: `Product ${writer}`, price: 1, description: '', category: '' }
          const { status, body } = await call('POST', '/api/products', values)
          if (status === 201) acknowledged.push(body.id)
          else broken.push(`create: ${status} ${JSON.stringify(body)}`)
          if (status !== 201) return
        }
      })
      const copies: Array<{ copy: Place; known: number[] }> = []
      for (let index = 0; index < COPIES; index++) {
        await sleep(100 + Math.random() * 300)
        copies.push({ known: [...acknowledged], copy: copyOf(place, server.pid, index) })
      }
      isOver = true
      await Promise.all(writers)
      close()
      for (const { copy, known } of copies) broken.push(...(await errorsOf(copy, known)))
      return {
        figures: `${acknowledged.length} acknowledged, ${COPIES} copies`,
        broken: broken.slice(0, 10),
      }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

/** The files as they are at one moment, while the server is paused. */
function copyOf({ kind, variables }: Place, pid: number, index: number): Place {
  const file = variables.DB_DATABASE
  const folder = join(dirname(file), `copy-${index}`)
  mkdirSync(folder)
  const copy = placeInFolder(kind, folder)
  process.kill(pid, 'SIGSTOP')
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(file + end)) copyFileSync(file + end, copy.variables.DB_DATABASE + end)
    }
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  return copy
}

async function errorsOf(copy: Place, known: number[]): Promise<string[]> {
  const damaged = await fileErrors(copy)
  if (damaged.length > 0) return damaged
  const products = idsOf(await copy.select('select id from products'))
  const logged = idsOf(
    await copy.select(
      "select resource_id as id from admin_audit_log where resource_type = 'Product'"
    )
  )
  return [
    ...known.filter((id) => !products.has(id)).map((id) => `product ${id} is lost`),
    ...[...products].filter((id) => !logged.has(id)).map((id) => `product ${id} is in no log`),
    ...[...logged]
      .filter((id) => !products.has(id))
      .map((id) => `product ${id} is only in the log`),
  ]
}

function idsOf(rows: Array<Record<string, unknown>>): Set<number> {
  return new Set(rows.map(({ id }) => Number(id)))
}
