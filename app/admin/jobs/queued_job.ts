import app from '@adonisjs/core/services/app'
import { Job } from '@adonisjs/queue'

/**
 * The part of a job that the queue holds: its id. Everything else is in the table of jobs. [D1]
 */
export class QueuedJob extends Job<{ id: number }> {
  static options = {
    name: 'admin_job',
    /* A failure is the job's outcome, and nothing is done twice. */
    maxRetries: 0,
  }

  async execute(): Promise<void> {
    const site = await app.container.make('admin.site')
    const { id } = this.payload
    if (this.context.stalledCount > 0) await site.jobs.runAgain(id)
    else await site.jobs.run(id, false)
  }
}
