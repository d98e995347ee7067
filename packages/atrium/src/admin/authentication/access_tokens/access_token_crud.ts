import type { LucidRow } from '@adonisjs/lucid/types/model'
import { LucidCrud, type HookOptions } from '#crud'
import AdminAccessToken from '../../models/admin_access_token.js'
import { requireProofOf } from '../reauthentication/reauthentication.js'

/**
 * Writes of access tokens need a recent proof of who the user is. [U11]
 */
export class AccessTokenCrud extends LucidCrud<typeof AdminAccessToken> {
  constructor() {
    super(AdminAccessToken)
  }

  async prepareCreate(values: Record<string, unknown>, options: HookOptions) {
    requireProofOf(options.actor)
    return await super.prepareCreate(values, options)
  }

  async prepareDelete(_record: LucidRow, { actor }: HookOptions): Promise<void> {
    requireProofOf(actor)
  }
}
