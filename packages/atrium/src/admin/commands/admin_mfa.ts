import { args, flags } from '@adonisjs/core/ace'
import { AdminCommand, isoTime, tableTime } from './admin_command.js'

/** Shows the second factors of a user, or removes them if the user has lost them. */
export default class AdminMfa extends AdminCommand {
  static commandName = 'admin:mfa'
  static description = 'Show the second factors of a user of the admin site, or take them away'
  static help = [
    'For a user who has lost phone and recovery codes; also for the last superuser:',
    '{{ binaryName }} admin:mfa jo --reset',
    'The user then logs in with the password alone, and all their sessions have ended.',
  ]

  @args.string({ description: 'Whose second factors' })
  declare username: string

  @flags.boolean({ description: 'Take factors and recovery codes away, and end the sessions' })
  declare reset: boolean

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const { adminAuthentication, adminUserService } = await this.site()
    const user = await adminUserService.findByName(this.username)
    const { factors } = adminAuthentication
    if (this.reset) return await this.#reset(user)

    const [owned, left] = await Promise.all([
      factors.of(user.id),
      factors.recoveryCodesLeft(user.id),
    ])
    if (this.json) {
      return this.printJson({
        username: user.username,
        factors: owned.map(({ id, kind, name, createdAt, lastUsedAt }) => ({
          id,
          kind,
          name,
          created_at: isoTime(createdAt),
          last_used_at: lastUsedAt && isoTime(lastUsedAt),
        })),
        recovery_codes: left,
      })
    }
    if (owned.length === 0) return this.logger.log(`${user.username} has no second factor`)
    this.printTable(
      ['Id', 'Kind', 'Name', 'Set up (UTC)', 'Last used (UTC)'],
      owned.map(({ id, kind, name, createdAt, lastUsedAt }) => [
        String(id),
        kind,
        name,
        tableTime(createdAt),
        lastUsedAt ? tableTime(lastUsedAt) : '',
      ])
    )
    this.logger.log(`Recovery codes left: ${left}`)
  }

  async #reset({ id, username }: { id: number; username: string }) {
    const site = await this.site()
    const { logReset } = await import('../authentication/factors/factor_events.js')
    const ended = await site.adminAuthentication.factors.reset(id)
    logReset(site, id)
    if (ended.factors > 0) await site.notices.notify({ id }, 'factors_reset', {})
    if (this.json) return this.printJson(ended)
    const state =
      ended.factors === 0
        ? 'had no second factor'
        : `has no second factor any more; removed: ${ended.factors}`
    this.logger.success(`${username} ${state}; sessions ended: ${ended.sessions}`)
  }
}
