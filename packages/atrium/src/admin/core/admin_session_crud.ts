import type { LucidRow } from '@adonisjs/lucid/types/model'
import { LucidCrud, type HookOptions } from '#crud'
import type { AdminSite } from '../admin_site.js'
import AdminSession from '../models/admin_session.js'

/**
 * Deleting a session ends it and revokes its tokens. [B13]
 */
export class AdminSessionCrud extends LucidCrud<typeof AdminSession> {
  readonly #site: Pick<AdminSite, 'sessionManager'>

  constructor(site: Pick<AdminSite, 'sessionManager'>) {
    super(AdminSession)
    this.#site = site
  }

  async prepareDelete(record: LucidRow, { client }: HookOptions): Promise<void> {
    await this.#site.sessionManager.end(record as AdminSession, client)
  }
}
