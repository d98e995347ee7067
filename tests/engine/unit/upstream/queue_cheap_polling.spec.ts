import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { drivers } from '@adonisjs/queue'
import type { Adapter } from '@adonisjs/queue/types'
import { test } from '@japa/runner'
import { databaseQueue } from '#upstream/queue_cheap_polling'
import { queriesOf } from '#tests/engine/helpers/queries'

async function make(provider: { resolver(app: any): any }): Promise<Adapter> {
  const create = await provider.resolver(app)
  const adapter = create()
  adapter.setWorkerId('tester')
  return adapter
}

async function look(adapter: Adapter) {
  await adapter.claimDueSchedule()
  return await adapter.popFrom('default')
}

async function idOf(found: Promise<{ id: string } | null>): Promise<string | undefined> {
  const one = await found
  return one?.id
}

test.group('@boringnode/queue', () => {
  test('the queue by itself still takes nine statements to find nothing', async ({ assert }) => {
    await db.from('queue_jobs').delete()
    const adapter = await make(drivers.database({}))
    const statements = await queriesOf(() => look(adapter))
    assert.isAtLeast(statements.length, 9)
  })
})

test.group('databaseQueue', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('queue_jobs').delete()
    await db.from('queue_schedules').delete()
  })

  test('[D1] a look that finds nothing is two statements', async ({ assert }) => {
    const adapter = await make(databaseQueue())
    const statements = await queriesOf(() => look(adapter))
    assert.lengthOf(statements, 2)
    const both = await queriesOf(() =>
      Promise.all([adapter.popFrom('default'), adapter.popFrom('default')])
    )
    assert.lengthOf(both, 1)
  })

  test('[D1] two workers never get the same job', async ({ assert }) => {
    const one = await make(databaseQueue())
    const other = await make(databaseQueue())
    for (let id = 0; id < 12; id++) {
      await one.push({ id: `job-${id}`, name: 'nothing', payload: {}, attempts: 0 })
    }
    const taken = await Promise.all(
      Array.from({ length: 16 }, (_, i) => (i % 2 ? one : other).popFrom('default'))
    )
    const ids = taken.flatMap((job) => job?.id ?? [])
    assert.sameMembers(ids, [...new Set(ids)])
    while (ids.length < 12) {
      const job = await one.popFrom('default')
      if (!job) break
      ids.push(job.id)
    }
    assert.lengthOf(new Set(ids), 12)
    assert.isNull(await other.popFrom('default'))
  })

  test('[D1] a delayed job, one of a killed worker and a due schedule are found', async ({
    assert,
  }) => {
    const adapter = await make(databaseQueue())
    const job = { id: 'later', name: 'nothing', payload: { n: 1 }, attempts: 0 }
    await adapter.pushLater(job, 60_000)
    assert.isNull(await adapter.popFrom('default'))
    await db.from('queue_jobs').update({ execute_at: Date.now() - 1 })
    assert.equal(await idOf(adapter.popFrom('default')), 'later')

    await db.from('queue_jobs').update({ acquired_at: Date.now() - 60_000, worker_id: 'killed' })
    assert.equal(await adapter.recoverStalledJobs('default', 30_000, 5), 1)
    assert.containSubset(await adapter.popFrom('default'), { id: 'later', stalledCount: 1 })
    await adapter.completeJob('later', 'default', true)
    assert.isEmpty(await db.from('queue_jobs'))

    await adapter.upsertSchedule({
      id: 'hourly',
      name: 'nothing',
      payload: {},
      everyMs: 3_600_000,
      timezone: 'UTC',
    })
    assert.isNull(await adapter.claimDueSchedule())
    await adapter.updateSchedule('hourly', { nextRunAt: new Date(Date.now() - 1000) })
    assert.equal(await idOf(adapter.claimDueSchedule()), 'hourly')
    assert.isNull(await adapter.claimDueSchedule())
  })
  test('[D1] a process renews the late leases of its own jobs before it looks for others', async ({
    assert,
  }) => {
    const adapter = await make(databaseQueue())
    await adapter.push({ id: 'own', name: 'nothing', payload: {}, attempts: 0 })
    assert.equal(await idOf(adapter.popFrom('default')), 'own')
    await db.from('queue_jobs').update({ acquired_at: Date.now() - 60_000 })
    assert.equal(await adapter.recoverStalledJobs('default', 30_000, 5), 0)
    const [{ status }] = await db.from('queue_jobs')
    assert.equal(status, 'active')
    await adapter.completeJob('own', 'default', true)
  })
})
