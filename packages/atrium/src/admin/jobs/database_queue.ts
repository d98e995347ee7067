import { KnexAdapter } from '@boringnode/queue/drivers/knex_adapter'
import type { Knex } from 'knex'

/**
 * The queue in a table of a database. Each time the library looks for a job it runs two transactions (delayed jobs, the
 * next job) of six statements on the writing connection, which on SQLite wait for the application's writes and hold them
 * up, every few seconds on an idle server. Here a query comes first, and the transactions follow where it finds a job.
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
