import db from '@adonisjs/lucid/services/db'
import type { Adapter } from '@boringnode/queue/contracts/adapter'
import { knex } from '@boringnode/queue/drivers/knex_adapter'
import { test } from '@japa/runner'
import { JobQueue, DatabaseQueue } from '#admin/jobs/job_queue'
import { queriesOf } from '#tests/helpers/queries'

const TABLE = 'admin_queue_jobs'

function make(): Adapter {
  const adapter = new DatabaseQueue(db.connection().getWriteClient(), TABLE)
  adapter.setWorkerId('tester')
  return adapter
}

async function idOf(found: Promise<{ id: string } | null>): Promise<string | undefined> {
  const one = await found
  return one?.id
}

test.group('@boringnode/queue', () => {
  test("without the engine's queue, finding no job still takes six statements", async ({
    assert,
  }) => {
    await db.from('admin_queue_jobs').delete()
    const adapter = knex(db.connection().getWriteClient(), TABLE)()
    const statements = await queriesOf(() => adapter.popFrom('default'))
    assert.isAtLeast(statements.length, 6)
  })
})

test.group('DatabaseQueue', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('admin_queue_jobs').delete()
  })

  test('[D1] polling an empty queue runs one statement', async ({ assert }) => {
    const statements = await queriesOf(() => make().popFrom('default'))
    assert.lengthOf(statements, 1)
  })

  test('[D1] two workers never get the same job', async ({ assert }) => {
    const one = make()
    const other = make()
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

  test('[D1] a delayed job is found when it is due, and so is the job of a killed worker', async ({
    assert,
  }) => {
    const adapter = make()
    const job = { id: 'later', name: 'nothing', payload: { n: 1 }, attempts: 0 }
    await adapter.pushLater(job, 60_000)
    assert.isNull(await adapter.popFrom('default'))
    await db.from('admin_queue_jobs').update({ execute_at: Date.now() - 1 })
    assert.equal(await idOf(adapter.popFrom('default')), 'later')

    await db
      .from('admin_queue_jobs')
      .update({ acquired_at: Date.now() - 60_000, worker_id: 'killed' })
    assert.equal(await adapter.recoverStalledJobs('default', 30_000, 5), 1)
    assert.containSubset(await adapter.popFrom('default'), { id: 'later', stalledCount: 1 })
    await adapter.completeJob('later', 'default', true)
    assert.isEmpty(await db.from('admin_queue_jobs'))
  })

  test('[D1] a process renews the expired leases of its own jobs before it looks for other jobs', async ({
    assert,
  }) => {
    const queue = new JobQueue(make())
    await queue.push(7, 1)
    const job = await queue.take()
    assert.equal(job?.id, 7)
    await db.from('admin_queue_jobs').update({ acquired_at: Date.now() - 60_000 })
    await queue.recover()
    const [{ status }] = await db.from('admin_queue_jobs')
    assert.equal(status, 'active')
    await queue.end(job!)
    assert.isEmpty(await db.from('admin_queue_jobs'))
  })
})
