import { QueueSchemaService } from '@adonisjs/queue'
import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The queue of background jobs, as the package @adonisjs/queue has it. Empty where the queue is in Redis.
 */
export default class extends BaseSchema {
  async up() {
    this.defer(async (client) => {
      const queue = new QueueSchemaService(client.getWriteClient())
      await queue.createJobsTable()
      await queue.createSchedulesTable()
    })
  }

  async down() {
    this.schema.dropTable('queue_schedules')
    this.schema.dropTable('queue_jobs')
  }
}
