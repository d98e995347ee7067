import { args, flags } from '@adonisjs/core/ace'
import { ask } from '#crud/commands/command'
import type AdminUser from '../models/admin_user.js'
import { AdminCommand } from './admin_command.js'

/**
 * Sets a user's password and ends all sessions of the user; a flag also revokes the user's access tokens.
 */
export default class AdminPassword extends AdminCommand {
  static commandName = 'admin:password'
  static description = 'Give a user of the admin site a new password and end their sessions'
  static help = [
    'In a script:',
    `printf '%s' "$PASSWORD" | {{ binaryName }} admin:password jo --password-stdin`,
    'Where the old password may be in wrong hands, --revoke-tokens ends the access tokens, too.',
  ]

  @args.string({ description: 'Whose password' })
  declare username: string

  @flags.boolean({ description: 'Read the password from standard input' })
  declare passwordStdin: boolean

  @flags.boolean({ description: 'End the access tokens, too; default: asks where it can' })
  declare revokeTokens: boolean | undefined

  async run() {
    const site = await this.site()
    const { accessTokens, adminUserService: users } = site
    const user = await users.findByName(this.username)
    this.requireFlags(!this.passwordStdin && '--password-stdin')
    const password = await this.readPassword(users, user, this.passwordStdin)
    const hashed = await users.hashPassword(password, user)
    const { replacePassword } = await import('../authentication/passwords/replace_password.js')
    const ended = await replacePassword(site, user.id, hashed)
    this.logger.success(`${user.username} has a new password; sessions ended: ${ended ?? 0}`)
    const { length } = await accessTokens.ofUser(user)
    if (length === 0) return
    if (await this.#mayRevoke(user, length)) {
      const revoked = await accessTokens.revokeAllOf(user)
      this.logger.success(`Access tokens revoked: ${revoked}`)
    } else {
      this.logger.log(
        `Access tokens that stay: ${length}; see node ace admin:token ${user.username} --list`
      )
    }
  }

  async #mayRevoke({ username }: AdminUser, count: number): Promise<boolean> {
    if (this.revokeTokens !== undefined) return this.revokeTokens
    if (!this.canAsk || this.passwordStdin) return false
    return await ask(() =>
      this.prompt.confirm(`Revoke the access tokens of ${username} (${count})?`)
    )
  }
}
