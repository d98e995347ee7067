import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { allProducts } from '../helpers/agreement.js'
import { clientOf } from '../helpers/client.js'
import { KINDS, makePlace, type Place } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'
import { KILLS, Ledger, streamUntil } from './kill.js'

/* Milliseconds for the deliveries of a killed worker, whose lease is two minutes */
const TIMEOUT = 240_000

/* One message of this number is refused, and so sent again after five seconds. */
const REFUSED = 50

interface Received {
  id: string
  status: number
}

export const killedWebhooks: Scenario = {
  name: 'webhooks',
  promise:
    'killed three times in a stream of writes, the server sends one message of each committed write at least once, and in order for each record',
  databases: KINDS,
  async run(kind, { writes }) {
    const place = await makePlace(kind)
    const receiver = await startReceiver()
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const { call, close } = clientOf(server.origin)
      const webhook = { address: receiver.url, models: ['Product'], active: true }
      const made = await call('POST', '/admin/AdminWebhook/crud', webhook, { cookie })
      close()
      if (made.status !== 201) throw new Error(`No webhook: ${made.status} ${made.body}`)
      const ledger = new Ledger()
      for (let round = 1; round <= KILLS; round++) {
        await streamUntil(Math.round((writes / 4 / KILLS) * round), ledger, server)
        await server.start()
        const client = clientOf(server.origin)
        ledger.settle(await allProducts(client.call))
        client.close()
      }
      const waited = await waitForDeliveries(place)
      const broken = [...ledger.broken, ...(await differences(place, receiver.received))]
      const { length } = receiver.received
      return {
        figures: `${ledger.acknowledged} acknowledged, ${KILLS} kills, ${length} messages received, the last after ${waited.toFixed(0)} s`,
        broken: broken.slice(0, 10),
      }
    } finally {
      await server?.kill()
      receiver.stop()
      await place.remove()
    }
  },
}

async function startReceiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const status = received.length % REFUSED === REFUSED - 1 ? 500 : 204
      received.push({ id: String(request.headers['webhook-id']), status })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, stop, url: `http://127.0.0.1:${port}/hook` }
}

/** @returns the seconds until no delivery was pending */
async function waitForDeliveries(place: Place): Promise<number> {
  const begun = performance.now()
  for (;;) {
    const [{ pending }] = await place.select(
      "select count(*) as pending from admin_webhook_deliveries where state = 'pending'"
    )
    const waited = performance.now() - begun
    if (Number(pending) === 0 || waited > TIMEOUT) return waited / 1000
    await sleep(500)
  }
}

/** Compares the log with the deliveries, and these with the received messages. */
async function differences(place: Place, received: readonly Received[]): Promise<string[]> {
  const logged = await place.select(
    "select resource_id, action from admin_audit_log where resource_type = 'Product' order by id"
  )
  const deliveries = await place.select(
    'select message_id, type, resource_id, state from admin_webhook_deliveries order by id'
  )
  const broken: string[] = []
  const writesOf = grouped(logged, ({ action }) => String(action).slice(0, 4))
  const messagesOf = grouped(deliveries, ({ type }) => messageAction(String(type)))
  const idsOf = grouped(deliveries, ({ message_id: id }) => String(id))
  for (const key of new Set([...writesOf.keys(), ...messagesOf.keys()])) {
    const [writes, messages] = [writesOf.get(key)?.join(), messagesOf.get(key)?.join()]
    if (writes !== messages) broken.push(`product ${key}: log ${writes}, deliveries ${messages}`)
  }
  for (const { message_id: id, state } of deliveries) {
    if (state !== 'delivered') broken.push(`message ${id} is ${state}`)
  }
  const accepted = received.filter(({ status }) => status === 204).map(({ id }) => id)
  const positions = new Map(accepted.toReversed().map((id, index) => [id, accepted.length - index]))
  for (const [key, ids] of idsOf) {
    const own = ids.map((id) => positions.get(id) ?? 0)
    if (own.includes(0)) broken.push(`product ${key}: a message was not received`)
    else if (own.some((position, index) => position < (own[index - 1] ?? 0))) {
      broken.push(`product ${key}: messages are not in order: ${own.join()}`)
    }
  }
  return broken
}

type Row = Record<string, unknown>

function grouped(rows: readonly Row[], text: (row: Row) => string): Map<string, string[]> {
  const groups = Map.groupBy(rows, ({ resource_id: id }) => String(id))
  return new Map([...groups].map(([id, some]) => [id, some.map(text)]))
}

/** Returns the action of a message as the log has it, shortened. */
function messageAction(type: string): string {
  return type.split('.')[1].toUpperCase().slice(0, 4)
}
