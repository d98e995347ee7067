import { KnexAdapter } from '@boringnode/queue/drivers/knex_adapter'
import type { Knex } from 'knex'

/**
 * Job queue in a database table. The library polls for jobs with two transactions (delayed jobs, next job) of six
 * statements on the writing connection, every few seconds even on an idle server; on SQLite they block other writers
 * and wait for them. This adapter first runs a query, and starts the transactions only if there is a job.
 */
export class DatabaseQueue extends KnexAdapter {
  constructor(
    private readonly knex: Knex,
    private readonly tableName: string
  ) {
    super({ connection: knex, tableName })
  }

  async popFrom(queue: string) {
    return (await this.#hasJobs(queue)) ? await super.popFrom(queue) : null
  }

  async #hasJobs(queue: string): Promise<boolean> {
    const rows = await this.knex(this.tableName)
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
}
