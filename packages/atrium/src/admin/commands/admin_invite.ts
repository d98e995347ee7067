import { args, flags } from '@adonisjs/core/ace'
import { AdminCommand, CommandFailure, isoTime, tableTime } from './admin_command.js'

/** Creates the one-time link with which a user chooses a password; with a flag, creates the user first. */
export default class AdminInvite extends AdminCommand {
  static commandName = 'admin:invite'
  static description = 'Make a one-time link with which a user of the admin site chooses a password'
  static help = [
    'The link is valid for 24 hours, for one use, and until a newer one is made. With --create the user is made first,',
    'without a password and with the default role:',
    '{{ binaryName }} admin:invite jo --create --email=jo@example.com',
  ]

  @args.string({ description: 'Whose password' })
  declare username: string

  @flags.boolean({ description: 'Make the user first' })
  declare create: boolean

  @flags.string({
    description: 'Where the link is mailed, with --create and if the application can mail',
  })
  declare email: string | undefined

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const site = await this.site()
    const { makeInvitation } =
      await import('../authentication/invitations/invitation_controller.js')
    const user = await this.#user()
    const { url, expiresAt, mailedTo } = await makeInvitation(site, user)
    if (this.json) {
      return this.printJson({
        username: user.username,
        url,
        expires_at: isoTime(expiresAt),
        mailed_to: mailedTo,
      })
    }
    this.logger.success(
      `${user.username} chooses a password here until ${tableTime(expiresAt)} UTC, once`
    )
    this.logger.log(`\n${url}\n`)
    if (mailedTo) this.logger.log(`It was sent to ${mailedTo}.`)
    this.logger.log('Who has the link chooses the password. It is not shown again.')
  }

  async #user() {
    const { adminUserService: users } = await this.site()
    if (!this.create) {
      if (this.email !== undefined) {
        throw new CommandFailure('--email goes with --create; others are changed on their page')
      }
      return await users.findByName(this.username)
    }
    const email = this.email?.trim() ?? null
    if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) {
      throw new CommandFailure(`--email=${JSON.stringify(email)} is not an e-mail address`)
    }
    return await users.create({
      username: this.username,
      password: null,
      isSuperuser: false,
      email,
    })
  }
}
