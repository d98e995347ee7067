/*
 * @boringnode/queue 0.6.0 (build/src/drivers/knex_adapter.js), as @adonisjs/queue 0.6.2 uses it: each look
 * for work is three transactions (due schedules, delayed jobs, the next job), nine statements on the
 * writing connection, and with SQLite each of them waits for, and holds up, the application's writes. An idle server
 * looks every few seconds, for ever. Here it makes one query first, and the transactions follow where it finds work.
 * Its worker also gives a job of its own to another run where the lease could not be renewed in time. Here a process
 * renews the leases of its own jobs before it looks for those of others that have ended.
 * No issue known. It can go when the test "the queue by itself still takes nine statements" fails.
 */
import { configProvider } from '@adonisjs/core'
import type { ConfigProvider } from '@adonisjs/core/types'
import { drivers } from '@adonisjs/queue'
import type { Adapter, AdapterFactory } from '@adonisjs/queue/types'
import type { Knex } from 'knex'
import { expectGround, hasMethods } from './expect_ground.js'

const JOBS = 'queue_jobs'
const SCHEDULES = 'queue_schedules'

/** @throws Exception  when the adapter looks for work by other methods */
export function checkGround(adapter: any): void {
  expectGround('@boringnode/queue', 'queue_cheap_polling', {
    'popFrom, claimDueSchedule, renewJobs and recoverStalledJobs in KnexAdapter': hasMethods(
      adapter,
      'popFrom',
      'claimDueSchedule',
      'renewJobs',
      'recoverStalledJobs'
    ),
  })
}

/**
 * The queue in a database.
 *
 * @param options.connectionName  default: the application's
 */
export function databaseQueue(
  options: { connectionName?: string } = {}
): ConfigProvider<AdapterFactory> {
  return configProvider.create(async (app) => {
    const db = await app.container.make('lucid.db')
    const create = await drivers.database({ ...options, tableName: JOBS }).resolver(app)
    const name = options.connectionName ?? db.primaryConnectionName
    return () => asksFirst(create(), () => db.connection(name).getWriteClient())
  })
}

function asksFirst(adapter: Adapter, knex: () => Knex): Adapter {
  checkGround(adapter)
  const popFrom = adapter.popFrom.bind(adapter)
  const claimDueSchedule = adapter.claimDueSchedule.bind(adapter)
  /* A worker makes one query for each job that it may run in parallel. */
  const asked = new Map<string, Promise<boolean>>()

  const hasJobs = (queue: string) => {
    let answer = asked.get(queue)
    if (!answer) {
      answer = isAny(
        knex()(JOBS)
          .where('queue', queue)
          .where((either) =>
            either
              .where('status', 'pending')
              .orWhere((delayed) =>
                delayed.where('status', 'delayed').where('execute_at', '<=', Date.now())
              )
          )
      ).finally(() => asked.delete(queue))
      asked.set(queue, answer)
    }
    return answer
  }

  const recoverStalledJobs = adapter.recoverStalledJobs.bind(adapter)
  const { own, noteOwn } = ownJobs(adapter)

  return Object.assign(adapter, {
    async popFrom(queue: string) {
      return (await hasJobs(queue)) ? noteOwn(queue, await popFrom(queue)) : null
    },
    /* A renewal may have waited for the writer of SQLite until the lease was over. */
    async recoverStalledJobs(queue: string, threshold: number, most: number) {
      await adapter.renewJobs(queue, own(queue))
      return await recoverStalledJobs(queue, threshold, most)
    },
    async claimDueSchedule() {
      const due = knex()(SCHEDULES)
        .where('status', 'active')
        .whereNotNull('next_run_at')
        .where('next_run_at', '<=', new Date())
      return (await isAny(due)) ? await claimDueSchedule() : null
    },
  })
}

/** The jobs that this process has accepted and not ended. */
function ownJobs(adapter: Adapter) {
  const ids = new Map<string, string>()
  for (const name of ['completeJob', 'failJob', 'retryJob'] as const) {
    const end = adapter[name].bind(adapter) as (id: string, ...rest: any[]) => Promise<void>
    Object.assign(adapter, {
      async [name](id: string, ...rest: unknown[]) {
        await end(id, ...rest)
        ids.delete(id)
      },
    })
  }
  return {
    own: (queue: string) => [...ids.keys()].filter((id) => ids.get(id) === queue),
    noteOwn<One extends { id: string } | null>(queue: string, job: One): One {
      if (job) ids.set(job.id, queue)
      return job
    },
  }
}

async function isAny(query: Knex.QueryBuilder): Promise<boolean> {
  const rows = await query.select('id').limit(1)
  return rows.length > 0
}
