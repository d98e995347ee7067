import { flags } from '@adonisjs/core/ace'
import { ask } from '#crud/commands/ask'
import type { AdminUserService } from '../authentication/admin_user_service.js'
import { AdminCommand, fault } from './admin_command.js'

/**
 * Makes somebody who may sign in to the admin site. [P12, B13]
 */
export default class AdminCreate extends AdminCommand {
  static commandName = 'admin:create'
  static description = 'Make a user of the admin site'
  static help = [
    'Asks for what is not given. In a script:',
    `printf '%s' "$PASSWORD" | {{ binaryName }} admin:create --username=jo --password-stdin`,
  ]

  @flags.string({ description: 'Name to sign in with: 2 to 32 letters, digits and . _ -' })
  declare username: string | undefined

  @flags.boolean({ description: 'Read the password from standard input' })
  declare passwordStdin: boolean

  @flags.boolean({
    description: 'Whether the user may manage the users of the site, too',
    default: true,
    showNegatedVariantInHelp: true,
  })
  declare superuser: boolean

  async run() {
    const { adminUserService: users } = await this.site()
    this.requireFlags(
      this.username === undefined && '--username=NAME',
      !this.passwordStdin && '--password-stdin'
    )
    const username = this.username ?? (await this.#askUsername(users))
    await users.checkNewUsername(username)
    const password = await this.readPassword(users, username, this.passwordStdin)
    const user = await users.create({ username, password, isSuperuser: this.superuser })
    this.logger.success(
      `Made the ${user.isSuperuser ? 'superuser' : 'user'} ${user.username}, who can sign in now`
    )
  }

  async #askUsername(users: AdminUserService): Promise<string> {
    const answer: string | undefined = await ask(() =>
      this.prompt.ask('Username', {
        validate: (value) => fault(() => users.checkNewUsername(value)),
      })
    )
    return answer ?? ''
  }
}
