import { flags } from '@adonisjs/core/ace'
import { ask } from '#crud/commands/command'
import type { AdminUserService } from '../authentication/admin_user_service.js'
import type { Site } from '../views/site.js'
import type { WithUserAttributes } from '../config/user_attributes.js'
import { AdminCommand, CommandFailure, errorMessage } from './admin_command.js'

/** Creates an admin user. */
export default class AdminCreate extends AdminCommand {
  static commandName = 'admin:create'
  static description = 'Make a superuser of the admin site, or a user with --no-superuser'
  static help = [
    'Asks for what is not given. In a script:',
    `printf '%s' "$PASSWORD" | {{ binaryName }} admin:create --username=jo --password-stdin`,
  ]

  @flags.string({ description: 'Name to log in with: 2 to 32 letters, digits and . _ -' })
  declare username: string | undefined

  @flags.boolean({ description: 'Read the password from standard input' })
  declare passwordStdin: boolean

  @flags.boolean({
    description:
      'Whether the user may do everything and manage the users of the site, too; default: yes, without --role',
    showNegatedVariantInHelp: true,
  })
  declare superuser: boolean | undefined

  @flags.array({
    description: 'Role of the user, by its name; several times for several, none for none',
  })
  declare role: string[] | undefined

  @flags.array({
    description: 'Attribute of the user, as in branch_id=4; several times for several',
  })
  declare attribute: string[] | undefined

  async run() {
    const site = await this.site()
    const { adminUserService: users } = site
    this.requireFlags(
      this.username === undefined && '--username=NAME',
      !this.passwordStdin && '--password-stdin'
    )
    const roleIds = await this.#roleIds()
    const attributes = this.attribute && (await this.#attributes(site, this.attribute))
    const username = this.username ?? (await this.#askUsername(users))
    await users.checkNewUsername(username)
    const password = await this.readPassword(users, { username }, this.passwordStdin)
    const isSuperuser = this.superuser ?? this.role === undefined
    const user = await users.create({ username, password, isSuperuser, roleIds, attributes })
    this.logger.success(
      `Made the ${user.isSuperuser ? 'superuser' : 'user'} ${user.username}, who can log in now`
    )
  }

  /** @throws CommandFailure  for an attribute whose record does not exist */
  async #attributes(site: Site & WithUserAttributes, given: string[]) {
    const { readAttributes } = await import('../config/user_attributes.js')
    const { missingReferences } = await import('../user_attributes/attribute_fields.js')
    const attributes = await readAttributes(site.userAttributes, given)
    const [missing] = await missingReferences(site, attributes)
    if (missing) throw new CommandFailure(`The attribute ${missing.name} ${missing.text}`)
    return attributes
  }

  /**
   * @returns undefined if no roles are given
   * @throws CommandFailure  for a role that does not exist, for an empty list, and for `none` with other roles
   */
  async #roleIds(): Promise<number[] | undefined> {
    const names = this.role
    if (names === undefined) return undefined
    if (names.length === 0) throw new CommandFailure('--role needs the name of a role, or none')
    if (names.some((name) => name.toLowerCase() === 'none')) {
      if (names.length > 1) throw new CommandFailure('--role=none goes with no other --role')
      return []
    }
    const { default: AdminRole } = await import('../models/admin_role.js')
    const roles = await AdminRole.query().orderBy('name')
    return names.map((name) => {
      const role = roles.find((one) => one.name === name)
      if (role) return role.id
      const known = roles.map((one) => JSON.stringify(one.name)).join(', ')
      throw new CommandFailure(
        `Unknown role ${JSON.stringify(name)}; roles are ${known || 'none yet'}`
      )
    })
  }

  async #askUsername(users: AdminUserService): Promise<string> {
    const response: string | undefined = await ask(() =>
      this.prompt.ask('Username', {
        validate: (value) => errorMessage(() => users.checkNewUsername(value)),
      })
    )
    return response ?? ''
  }
}
