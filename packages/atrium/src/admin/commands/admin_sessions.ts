import { args, flags } from '@adonisjs/core/ace'
import type AdminSession from '../models/admin_session.js'
import { AdminCommand, CommandFailure, isoTime, tableTime } from './admin_command.js'

/** Lists and ends the active sessions of the admin site. */
export default class AdminSessions extends AdminCommand {
  static commandName = 'admin:sessions'
  static description = 'Show the active sessions of the admin site, or end them'

  @args.string({ description: 'Whose sessions; everybody, if left out', required: false })
  declare username: string | undefined

  @flags.string({ description: 'End the session with this id' })
  declare revoke: string | undefined

  @flags.boolean({ description: 'End all of the sessions' })
  declare revokeAll: boolean

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    if (this.revoke !== undefined && this.revokeAll) {
      throw new CommandFailure('Use either --revoke=ID or --revoke-all')
    }
    const sessions = await this.#sessions()
    if (this.revokeAll) return await this.#end(sessions)
    if (this.revoke === undefined) return await this.#show(sessions)

    const revoked = sessions.filter((session) => String(session.id) === this.revoke)
    if (revoked.length === 0) {
      const whose = this.username === undefined ? '' : ` of ${this.username}`
      throw new CommandFailure(`No active session ${JSON.stringify(this.revoke)}${whose} exists`)
    }
    await this.#end(revoked)
  }

  async #sessions(): Promise<AdminSession[]> {
    const { adminUserService, sessionManager } = await this.site()
    if (this.username === undefined) return await sessionManager.allActive()
    const user = await adminUserService.findByName(this.username)
    return await sessionManager.activeOf(user.id)
  }

  async #end(sessions: AdminSession[]) {
    const { sessionManager } = await this.site()
    for (const session of sessions) await sessionManager.end(session)
    if (this.json) return this.printJson({ revoked: sessions.map((session) => session.id) })
    this.logger.success(`Sessions ended: ${sessions.length}`)
  }

  async #show(sessions: AdminSession[]) {
    const { default: AdminUser } = await import('../models/admin_user.js')
    const users = await AdminUser.query().whereIn(
      'id',
      sessions.map((session) => session.userId)
    )
    const nameOf = (session: AdminSession) =>
      users.find((user) => user.id === session.userId)?.username ?? ''

    if (this.json) {
      return this.printJson(
        sessions.map((session) => ({
          id: session.id,
          username: nameOf(session),
          ip_address: session.ipAddress,
          device_info: session.deviceInfo,
          user_agent: session.userAgent,
          created_at: isoTime(session.createdAt),
          last_activity: isoTime(session.lastActivity),
        }))
      )
    }
    if (sessions.length === 0) return this.logger.log('No user is signed in')
    this.printTable(
      ['Id', 'Username', 'Address', 'Device', 'Signed in (UTC)', 'Last active (UTC)'],
      sessions.map((session) => [
        String(session.id),
        nameOf(session),
        session.ipAddress ?? '',
        session.deviceInfo ?? '',
        tableTime(session.createdAt),
        tableTime(session.lastActivity),
      ])
    )
  }
}
