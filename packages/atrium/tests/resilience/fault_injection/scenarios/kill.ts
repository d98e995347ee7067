import { clientOf, type Call } from '../helpers/client.js'
import { allProducts, disagreements, fileErrors, type Item } from '../helpers/agreement.js'
import { KINDS, makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import type { Scenario } from '../scenario.js'

const WORKERS = 8
/** Number of times that the server is killed */
export const KILLS = 3

/** Acknowledged state of a product: its price, `deleted` softly, or `gone` permanently */
type State = number | 'deleted' | 'gone'

/**
 * Expected results of the callers' writes. For a write without a response both outcomes are valid,
 * and no third.
 */
export class Ledger {
  readonly known = new Map<number, Set<State>>()
  /** Names of products whose creation was not acknowledged */
  readonly asked = new Set<string>()
  acknowledged = 0
  unresponded = 0
  readonly broken: string[] = []
  #last = 0

  nextName(): string {
    return `Product ${++this.#last}`
  }

  /** Compares with the stored items, and continues from them. */
  settle(items: ReadonlyMap<number, Item>): void {
    const byName = new Map([...items.values()].map((item) => [item.name, item]))
    for (const [id, states] of this.known) {
      const state = stateOf(items.get(id))
      if (!states.has(state)) {
        this.broken.push(`product ${id} is ${state}, and should be ${[...states].join(' or ')}`)
      }
      this.known.set(id, new Set([state]))
    }
    for (const name of this.asked) {
      const item = byName.get(name)
      if (item) this.known.set(item.id, new Set([stateOf(item)]))
    }
    this.asked.clear()
    for (const { id, name } of items.values()) {
      if (!this.known.has(id)) this.broken.push(`product ${id}, ${String(name)}, is nobody's`)
    }
  }
}

function stateOf(item: Item | undefined): State {
  if (!item) return 'gone'
  return item.is_deleted ? 'deleted' : Number(item.price)
}

export const kill: Scenario = {
  name: 'kill',
  promise:
    'killed three times in a stream of writes, the server has every acknowledged one, none half done; log and data agree',
  databases: KINDS,
  async run(kind, { writes }) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const ledger = new Ledger()
      const begun = performance.now()
      for (let round = 1; round <= KILLS; round++) {
        await streamUntil(Math.round((writes / KILLS) * round), ledger, server)
        await server.start()
        const client = clientOf(server.origin)
        const items = await allProducts(client.call)
        client.close()
        ledger.settle(items)
        ledger.broken.push(...(await disagreements(place, items)), ...(await fileErrors(place)))
      }
      const seconds = (performance.now() - begun) / 1000
      const { acknowledged, unresponded: unresponded, known, broken } = ledger
      return {
        figures: `${acknowledged} acknowledged, ${unresponded} without an answer, ${KILLS} kills, ${known.size} products, ${seconds.toFixed(0)} s`,
        broken: broken.slice(0, 10),
      }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

/** Writes until the given number is acknowledged, then kills the server during further writes. */
export async function streamUntil(until: number, ledger: Ledger, server: Server) {
  const { call, close } = clientOf(server.origin, WORKERS)
  let killed: Promise<void> | undefined
  const isOver = () => {
    /* The other writes are pending at this moment. */
    if (ledger.acknowledged >= until) killed ??= server.kill()
    return killed !== undefined
  }
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      const own: number[] = []
      while (!isOver()) await writeSomething(call, ledger, own, worker)
    })
  )
  await killed
  close()
}

/** Every worker has its own products, so that the order of writes to each is known. */
async function writeSomething(call: Call, ledger: Ledger, own: number[], worker: number) {
  const dice = Math.random()
  const id = own[Math.floor(Math.random() * own.length)]
  if (id === undefined || dice < 0.4) {
    const name = ledger.nextName()
    const price = worker + 1
    ledger.asked.add(name)
    const { status, body } = await call('POST', '/api/products', {
      name,
      price,
      description: 'made under fire',
      category: `Category ${worker}`,
    })
    if (!isAcknowledged(ledger, status, 201, `create ${name}`)) return
    ledger.asked.delete(name)
    ledger.known.set(body.id, new Set([price]))
    own.push(body.id)
    return
  }

  const states = ledger.known.get(id)!
  if (dice < 0.8) {
    const price = Math.floor(Math.random() * 1_000_000)
    states.add(price)
    const { status } = await call('PATCH', `/api/products/${id}`, { price })
    if (isAcknowledged(ledger, status, 200, `update ${id}`)) {
      ledger.known.set(id, new Set([price]))
    }
    return
  }
  own.splice(own.indexOf(id), 1)
  const isForGood = dice >= 0.9
  const state = isForGood ? 'gone' : 'deleted'
  states.add(state)
  const path = isForGood ? `/api/products/db_delete/${id}` : `/api/products/${id}`
  const { status } = await call('DELETE', path)
  if (isAcknowledged(ledger, status, 200, `delete ${id}`)) ledger.known.set(id, new Set([state]))
}

function isAcknowledged(ledger: Ledger, status: number, expected: number, what: string): boolean {
  if (status === expected) {
    ledger.acknowledged++
    return true
  }
  if (status === 0) ledger.unresponded++
  else ledger.broken.push(`${what}: ${status}`)
  return false
}
