import { flags } from '@adonisjs/core/ace'
import { AdminCommand, CommandFailure } from './admin_command.js'

/** Runs background jobs until the process is stopped. */
export default class AdminWork extends AdminCommand {
  static commandName = 'admin:work'
  static description = 'Work on background jobs until the process is stopped'
  static override options = { ...AdminCommand.options, staysAlive: true }

  @flags.number({ description: 'Jobs to run at a time; default: jobs.concurrency', alias: 'c' })
  declare concurrency?: number

  async run() {
    const { concurrency } = this
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
      throw new CommandFailure('--concurrency is the number of jobs to run at a time, 1 or more')
    }
    const { jobs, webhooks } = await this.site()
    if (concurrency !== undefined) jobs.concurrency = concurrency
    await jobs.work()
    webhooks.work()
    this.logger.log('Working on background jobs')
    /* Keeps the process running. When the application ends, the provider stops the worker and the process. */
    setInterval(() => {}, 2 ** 30)
  }
}
