import { args, flags } from '@adonisjs/core/ace'
import { AdminCommand } from './admin_command.js'

/**
 * Gives somebody a new password and signs them out everywhere. [P12, B7]
 */
export default class AdminPassword extends AdminCommand {
  static commandName = 'admin:password'
  static description = 'Give a user of the admin site a new password and end their sessions'
  static help = [
    'In a script:',
    `printf '%s' "$PASSWORD" | {{ binaryName }} admin:password jo --password-stdin`,
  ]

  @args.string({ description: 'Whose password' })
  declare username: string

  @flags.boolean({ description: 'Read the password from standard input' })
  declare passwordStdin: boolean

  async run() {
    const { accessTokens, adminUserService: users, sessionManager } = await this.site()
    const user = await users.findByName(this.username)
    this.requireFlags(!this.passwordStdin && '--password-stdin')
    const password = await this.readPassword(users, user.username, this.passwordStdin)
    await users.setPassword(user, password)
    const ended = await sessionManager.endAllOf(user.id)
    this.logger.success(`${user.username} has a new password; sessions ended: ${ended}`)
    const tokens = await accessTokens.ofUser(user)
    if (tokens.length > 0) {
      this.logger.log(
        `Access tokens that stay: ${tokens.length}; see node ace admin:token ${user.username} --list`
      )
    }
  }
}
