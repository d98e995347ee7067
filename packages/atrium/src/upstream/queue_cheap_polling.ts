/*
 * @boringnode/queue 0.6.0 (build/src/drivers/knex_adapter.js): each look for a job is two transactions (delayed jobs, the
 * next job), six statements on the writing connection, and with SQLite each of them waits for, and holds up, the
 * application's writes. An idle server looks every few seconds. Here it makes one query first, and the transactions
 * follow where it finds work.
 * No issue known. It can go when the test "the queue by itself still takes six statements" fails.
 */
import type { Adapter } from '@boringnode/queue/contracts/adapter'
import { knex as knexAdapter } from '@boringnode/queue/drivers/knex_adapter'
import type { Knex } from 'knex'

/**
 * The queue in a table of a database.
 */
export function databaseQueue(knex: Knex, table: string): Adapter {
  const adapter = knexAdapter(knex, table)()
  const popFrom = adapter.popFrom.bind(adapter)
  return Object.assign(adapter, {
    async popFrom(queue: string) {
      return (await hasJobs(knex(table), queue)) ? await popFrom(queue) : null
    },
  })
}

async function hasJobs(jobs: Knex.QueryBuilder, queue: string): Promise<boolean> {
  const rows = await jobs
    .where('queue', queue)
    .where((either) =>
      either
        .where('status', 'pending')
        .orWhere((delayed) =>
          delayed.where('status', 'delayed').where('execute_at', '<=', Date.now())
        )
    )
    .select('id')
    .limit(1)
  return rows.length > 0
}
