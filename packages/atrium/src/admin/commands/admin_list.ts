import { flags } from '@adonisjs/core/ace'
import { AdminCommand, isoTime, tableTime } from './admin_command.js'

/** Lists the admin users. */
export default class AdminList extends AdminCommand {
  static commandName = 'admin:list'
  static description = 'Show the users of the admin site'

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const { default: AdminUser } = await import('../models/admin_user.js')
    const { sessionManager } = await this.site()
    const users = await AdminUser.query().orderBy('username')
    const sessions = await sessionManager.allActive()
    const sessionsOf = (user: { id: number }) =>
      sessions.filter((session) => session.userId === user.id).length

    if (this.json) {
      return this.printJson(
        users.map((user) => ({
          id: user.id,
          username: user.username,
          is_superuser: user.isSuperuser,
          active_sessions: sessionsOf(user),
          created_at: isoTime(user.createdAt),
        }))
      )
    }
    if (users.length === 0) {
      return this.logger.log('No admin user yet. Make one with: node ace admin:create')
    }
    this.printTable(
      ['Username', 'Superuser', 'Sessions', 'Created (UTC)'],
      users.map((user) => [
        user.username,
        user.isSuperuser ? 'yes' : 'no',
        String(sessionsOf(user)),
        tableTime(user.createdAt),
      ])
    )
  }
}
