import { args, flags } from '@adonisjs/core/ace'
import { ask } from '#crud/commands/command'
import type AdminAccessToken from '../models/admin_access_token.js'
import type AdminUser from '../models/admin_user.js'
import { AdminCommand, CommandFailure, errorMessage, isoTime, tableTime } from './admin_command.js'

/** Creates, lists and revokes the access tokens of programs. */
export default class AdminToken extends AdminCommand {
  static commandName = 'admin:token'
  static description =
    'Issue an access token for the API in the name of a user, list or revoke them'
  static help = [
    'Abilities are MODEL:OPERATION, with * for all on either side:',
    '{{ binaryName }} admin:token jo --name=ci --abilities=Product:read,Film:* --expires-in="30 days"',
    'Without --abilities the token may do everything, without --expires-in it expires in 90 days',
    '(--expires-in=never: it does not).',
  ]

  @args.string({ description: 'Whose tokens' })
  declare username: string

  @flags.string({ description: 'Issue a token, and call it so' })
  declare name: string | undefined

  @flags.string({ description: 'What the token may do, as in Product:read,Film:*; default: *' })
  declare abilities: string | undefined

  @flags.string({
    description: 'How long it is valid, as in "30 days" or never; default: 90 days',
  })
  declare expiresIn: string | undefined

  @flags.boolean({ description: 'Issue a token that can not write by any path' })
  declare readOnly: boolean

  @flags.boolean({ description: 'Show the tokens' })
  declare list: boolean

  @flags.string({ description: 'Revoke the token with this id' })
  declare revoke: string | undefined

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const given = [this.name, this.abilities, this.expiresIn, this.readOnly || undefined]
    const asksNew = given.some((flag) => flag !== undefined)
    if (Number(asksNew) + Number(Boolean(this.list)) + Number(this.revoke !== undefined) > 1) {
      throw new CommandFailure('Use one of --name=NAME, --list and --revoke=ID')
    }
    const { adminUserService } = await this.site()
    const user = await adminUserService.findByName(this.username)
    if (this.list) await this.#show(user)
    else if (this.revoke !== undefined) await this.#revoke(user, this.revoke)
    else await this.#issue(user)
  }

  async #issue(user: AdminUser) {
    const { readAbilities } = await import('../authentication/access_tokens/token_terms.js')
    const { readLifetime, readTokenName } =
      await import('../authentication/access_tokens/token_terms.js')
    const { accessTokens } = await this.site()
    const abilities = readAbilities(this.abilities ?? '*')
    const expiresAt = readLifetime(this.expiresIn)
    this.requireFlags(this.name === undefined && '--name')
    const check = (text: string | undefined) => errorMessage(() => void readTokenName(text ?? ''))
    const requested = () => this.prompt.ask('Name of the token', { validate: check })
    const name = readTokenName(this.name ?? (await ask(requested)))
    const { id, value } = await accessTokens.issue(user, {
      ...{ name, abilities, expiresAt, readOnly: Boolean(this.readOnly) },
    })

    if (this.json) {
      return this.printJson({
        id,
        username: user.username,
        name,
        abilities,
        read_only: Boolean(this.readOnly),
        expires_at: expiresAt && isoTime(expiresAt),
        token: value.release(),
      })
    }
    const end = expiresAt ? `expires ${tableTime(expiresAt)} UTC` : 'does not expire'
    this.logger.success(
      `Token ${name} (${id}) of ${user.username} may do ${abilities.join(', ')}${this.readOnly ? ', read-only,' : ''} and ${end}`
    )
    this.logger.log(`\n${value.release()}\n`)
    this.logger.log('Keep it now: it is not shown again.')
  }

  async #revoke(user: AdminUser, id: string) {
    const { accessTokens } = await this.site()
    const revoked = await accessTokens.revoke(user, id)
    if (this.json) return this.printJson({ revoked: [revoked.id] })
    this.logger.success(`Token ${revoked.name} (${revoked.id}) of ${user.username} is revoked`)
  }

  async #show(user: AdminUser) {
    const { accessTokens } = await this.site()
    const tokens = await accessTokens.ofUser(user)
    if (this.json) return this.printJson(tokens.map((token) => shown(user, token)))
    if (tokens.length === 0) {
      return this.logger.log(
        `${user.username} has no access token. Make one with: node ace admin:token ${user.username} --name=NAME`
      )
    }
    this.printTable(
      ['Id', 'Name', 'Abilities', 'Created (UTC)', 'Last used (UTC)', 'Expires (UTC)'],
      tokens.map((token) => [
        String(token.id),
        token.name,
        token.abilities.join(', ') + (token.readOnly ? ' (read-only)' : ''),
        tableTime(token.createdAt),
        token.lastUsedAt ? tableTime(token.lastUsedAt) : 'never',
        expiry(token),
      ])
    )
  }
}

function expiry({ expiresAt, isExpired }: AdminAccessToken): string {
  if (!expiresAt) return 'never'
  return tableTime(expiresAt) + (isExpired ? ' (expired)' : '')
}

function shown({ username }: AdminUser, token: AdminAccessToken) {
  const { id, name, abilities, createdAt, lastUsedAt, expiresAt, isExpired, readOnly } = token
  return {
    id,
    username,
    name,
    abilities,
    read_only: readOnly,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt && isoTime(lastUsedAt),
    expires_at: expiresAt && isoTime(expiresAt),
    is_expired: isExpired,
  }
}
