import { flags } from '@adonisjs/core/ace'
import { AdminCommand, CommandFailure } from './admin_command.js'

/** Removes events that are older than the retention of config/admin.ts. */
export default class AdminEvents extends AdminCommand {
  static commandName = 'admin:events'
  static description = 'Remove old events from the event log, with --prune'

  @flags.boolean({ description: 'Remove what is older than the retention of config/admin.ts' })
  declare prune: boolean

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    if (!this.prune) throw new CommandFailure('Say what to do with the events: --prune')
    const { eventIntegration } = await this.site()
    if (!eventIntegration?.prune) {
      throw new CommandFailure(
        'Nothing to prune: eventIntegration of config/admin.ts has no event log'
      )
    }
    const removed = await eventIntegration.prune()
    if (this.json) return this.printJson({ removed })
    this.logger.success(`Events removed: ${removed}`)
  }
}
