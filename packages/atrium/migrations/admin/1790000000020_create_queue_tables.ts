import { QueueSchemaService } from '@boringnode/queue'
import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The queue of background jobs. Empty where the queue is in Redis. Before 0.3 it was `queue_jobs`, which an application
 * with a queue of its own has, too.
 */
export default class extends BaseSchema {
  async up() {
    this.defer(async (client) => {
      await new QueueSchemaService(client.getWriteClient()).createJobsTable('admin_queue_jobs')
    })
  }

  async down() {
    this.schema.dropTable('admin_queue_jobs')
  }
}
