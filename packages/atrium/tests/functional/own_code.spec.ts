import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { type AdminUser } from '#admin'
import { LucidCrud, observeWrites } from '#crud'
import { inTransaction } from '#base/database/transaction'
import { Gate, ownWork } from '#tests/fixtures/own_code'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { del, patch, post } from '#tests/helpers/http'
import { useReads } from '#tests/helpers/lucid_reads'
import { emptySurface, surfaceRows, useSurface } from '#tests/helpers/lucid_surface'

class Undone extends Error {}

type Outcome = Awaited<ReturnType<typeof useSurface>> & { rows: unknown }

const create = () => post('/api/own-gates', { name: 'new' })
const update = (id: number) => patch(`/api/own-gates/${id}`, { name: 'changed' })
const remove = (id: number) => del(`/api/own-gates/${id}`)

/** Every hook for own code, and a request that runs it */
const PLACES: Record<string, (id: number, user: AdminUser) => Promise<unknown>> = {
  'prepareCreate': create,
  'prepareUpdate': update,
  'prepareDelete': remove,
  'crud afterCreate': create,
  'crud afterUpdate': update,
  'beforeSave': create,
  'beforeCreate': create,
  'afterCreate': create,
  'beforeUpdate': update,
  'afterUpdate': update,
  'afterSave': update,
  'beforeDelete': remove,
  'afterDelete': remove,
  'policy': update,
  'observer': update,
  'insertItem': () => {
    const headers = { 'idempotency-key': '"a key of its own"' }
    return post('/api/own-gates', { name: 'once' }, { headers })
  },
  'custom endpoint': (id) => post(`/api/own-gates/${id}/work`, {}),
  'bulk action': async (id, user) => {
    return await sendForm('/admin/Gate/action/work', `ids=${id}`, { cookie: await cookiesOf(user) })
  },
  "own code's transaction": (id) =>
    db.transaction(async (client) => {
      await new LucidCrud(Gate).update(id, { name: 'within' }, { client })
      await ownWork.current?.run(client)
    }),
  'our transaction, and one within': () =>
    inTransaction(db.connection(), (outer) =>
      inTransaction(outer, async (client) => void (await ownWork.current?.run(client)))
    ),
}

test.group("Application code in the engine's transactions", (group) => {
  group.tap((one) => one.tags(['@database']))
  let user: AdminUser
  let plain: Outcome
  let gate: number

  async function outcomeOf(
    work: (use: (trx: TransactionClientContract) => Promise<void>) => Promise<unknown>
  ): Promise<Outcome> {
    await emptySurface()
    let surface: Awaited<ReturnType<typeof useSurface>> | undefined
    const response = await work(async (trx) => void (surface = await useSurface(trx)))
    if (!surface) throw new Error(`It was not done: ${JSON.stringify(response)}`)
    return { ...surface, rows: await surfaceRows() }
  }

  group.setup(() => fakeHashes())
  group.setup(async () => {
    plain = await outcomeOf((use) => db.transaction(use))
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('own_gates').delete()
    await db.from('idempotency_keys').delete()
    user = await makeUser('ada')
    gate = await insertRow('own_gates', { name: 'gate' })
    const stop = observeWrites({
      async record(_writes, client) {
        const { current } = ownWork
        if (current?.place !== 'observer') return
        ownWork.current = undefined
        await current.run(client as TransactionClientContract)
      },
    })
    return () => {
      stop()
      ownWork.current = undefined
    }
  })
  group.teardown(emptySurface)

  test('a plain Lucid transaction supports every step that the next tests compare', ({
    assert,
  }) => {
    assert.deepEqual(plain.heard, ['inner commit', 'inner rollback', 'commit'])
    assert.deepEqual((plain.rows as any).plans, ['second plan', 'third plan'])
    assert.includeMembers((plain.rows as any).studios, ['innermost', 'manual', 'by transacting'])
    assert.notIncludeMembers((plain.rows as any).studios, ['undone', 'abandoned'])
  })

  test('[P8] every feature of Lucid has the same result as in a plain Lucid transaction: {$self}')
    .with(Object.keys(PLACES))
    .run(async ({ assert }, place) => {
      const outcome = await outcomeOf((run) => {
        ownWork.current = { place, run }
        return PLACES[place](gate, user)
      })
      assert.deepEqual(outcome, plain)
    })

  test('[P8] every Lucid read in a hook returns what it returns elsewhere')
    .with(Object.keys(PLACES))
    .run(async ({ assert }, place) => {
      await emptySurface()
      const expected = await db.transaction(async (client) => {
        const reads = await useReads(client, await Gate.findOrFail(gate, { client }))
        await client.rollback()
        return reads
      })
      await emptySurface()
      let seen: Awaited<ReturnType<typeof useReads>> | undefined
      ownWork.current = {
        place,
        async run(client, record) {
          seen = await useReads(client, record as Gate | undefined)
        },
      }
      const response = await PLACES[place](gate, user)
      assert.exists(seen, `It was not done: ${JSON.stringify(response)}`)
      assert.deepEqual(seen!.models, expected.models)
      if (seen!.record) assert.deepEqual(seen!.record, expected.record)
    })

  test(
    '[P8] an error after the application code rolls everything back, as in a Lucid transaction: {$self}'
  )
    .with(Object.keys(PLACES))
    .run(async ({ assert }, place) => {
      const outcome = await outcomeOf(async (use) => {
        const run = async (trx: TransactionClientContract) => {
          await use(trx)
          throw new Undone('and no further')
        }
        ownWork.current = { place, run }
        return await PLACES[place](gate, user).catch((error) => {
          if (!(error instanceof Undone)) throw error
        })
      })
      assert.deepEqual(outcome.seen, plain.seen)
      assert.deepEqual(outcome.heard, ['inner commit', 'inner rollback', 'rollback'])
      assert.isTrue(Object.values(outcome.rows as any).every((rows: any) => rows.length === 0))
      assert.deepEqual(await db.from('own_gates').select('name'), [{ name: 'gate' }])
    })
})
