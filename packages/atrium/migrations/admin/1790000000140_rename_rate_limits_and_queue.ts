import { QueueSchemaService } from '@boringnode/queue'
import { BaseSchema } from '@adonisjs/lucid/schema'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/**
 * Databases of earlier versions get the tables of the limiter and of the queue under names that no application uses.
 * `queue_jobs` and `queue_schedules` stay, as they can hold jobs of the application.
 */
export default class extends BaseSchema {
  async up() {
    this.defer(async (client) => {
      if (!(await client.schema.hasTable('admin_rate_limits'))) {
        await client.schema.renameTable('rate_limits', 'admin_rate_limits')
      }
      if (!(await client.schema.hasTable('admin_queue_jobs'))) await moveJobs(client)
    })
  }

  /** The migrations that create the tables remove them. */
  async down() {}
}

async function moveJobs(client: QueryClientContract) {
  await new QueueSchemaService(client.getWriteClient()).createJobsTable('admin_queue_jobs')
  const jobs = await client.from('queue_jobs').where('data', 'like', '%"name":"admin_job"%')
  for (const job of jobs) {
    await client.table('admin_queue_jobs').insert({ ...job, queue: 'atrium' })
    await client.from('queue_jobs').where({ id: job.id, queue: job.queue }).delete()
  }
}
