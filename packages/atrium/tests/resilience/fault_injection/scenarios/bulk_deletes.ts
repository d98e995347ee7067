import { clientOf } from '../helpers/client.js'
import { allProducts, disagreements } from '../helpers/agreement.js'
import { KINDS, makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

const ROUNDS = 15
const EACH = 40

export const bulkDeletes: Scenario = {
  name: 'bulk',
  promise:
    'two bulk deletes of overlapping ids at once: each is done whole or not at all, and log and data agree',
  databases: KINDS,
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const { call, close } = clientOf(server.origin)
      const broken: string[] = []
      const outcomes: Record<string, number> = {}
      const deleted = new Set<number>()
      for (let round = 0; round < ROUNDS; round++) {
        const ids: number[] = []
        for (let i = 0; i < EACH; i++) {
          const { body } = await call('POST', '/api/products', {
            name: `Product ${round}.${i}`,
            description: 'x',
            category: 'y',
            price: 1,
          })
          ids.push(body.id)
        }
        /* The second call has the reverse order, so locking records one by one would deadlock. */
        const calls = [ids.slice(0, 30), ids.slice(10).toReversed()]
        const responses = await Promise.all(
          calls.map((some) =>
            call('DELETE', '/admin/Product/bulk-delete', { ids: some }, { cookie })
          )
        )
        for (const [index, { status, body }] of responses.entries()) {
          if (status === 200) for (const id of calls[index]) deleted.add(id)
          else if (status !== 400 && status !== 503)
            broken.push(`${status}: ${JSON.stringify(body)}`)
        }
        const outcome = responses
          .map(({ status }) => status)
          .toSorted()
          .join('+')
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (outcome !== '200+400') broken.push(`${outcome}: one of them should have been done`)
      }
      const items = await allProducts(call)
      for (const { id, is_deleted: isDeleted } of items.values()) {
        if (Boolean(isDeleted) !== deleted.has(id)) {
          broken.push(`product ${id} is ${isDeleted ? '' : 'not '}deleted`)
        }
      }
      broken.push(...(await disagreements(place, items)))
      close()
      return {
        figures: Object.entries(outcomes)
          .map(([outcome, count]) => `${count} x ${outcome}`)
          .join(', '),
        broken: broken.slice(0, 10),
      }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}
