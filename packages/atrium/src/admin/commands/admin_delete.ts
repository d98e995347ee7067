import { args, flags } from '@adonisjs/core/ace'
import { ask } from '#crud/commands/command'
import { AdminCommand, CommandFailure } from './admin_command.js'

/** Removes an admin user, and ends the user's sessions and tokens. */
export default class AdminDelete extends AdminCommand {
  static commandName = 'admin:delete'
  static description = 'Remove a user of the admin site and end their sessions'

  @args.string({ description: 'Name of the user' })
  declare username: string

  @flags.boolean({ description: 'Remove without asking' })
  declare force: boolean

  async run() {
    const { adminUserService: users, savedViews, sessionManager } = await this.site()
    const user = await users.findByName(this.username)
    await users.checkRemovable(user)
    this.requireFlags(!this.force && '--force')
    const question = `Remove ${user.username} for good?`
    if (!this.force && !(await ask(() => this.prompt.confirm(question)))) {
      throw new CommandFailure('No user was removed')
    }
    /* Sessions are ended first, because their tokens could not be found without the user. */
    const ended = await sessionManager.endAllOf(user.id)
    await users.remove(user, (client) => savedViews.leave(user.id, client))
    this.logger.success(`Removed ${user.username}; sessions ended: ${ended}`)
  }
}
