import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ValueError } from '#crud'
import { listed } from '#base/errors'
import AdminRole from '../models/admin_role.js'

/**
 * The role of users for whom nobody names any. [U5]
 */
export class DefaultRole {
  /**
   * @param name  as `defaultRole` of `config/admin.ts` has it; null: none
   */
  constructor(readonly name: string | null) {}

  /**
   * @returns its id, in a list; an empty one where there is no default
   * @throws ValueError  when no role is called so
   */
  async ids(client?: QueryClientContract): Promise<number[]> {
    if (this.name === null) return []
    const role = await AdminRole.query({ client }).where('name', this.name).first()
    if (role) return [role.id]
    throw new ValueError(await this.#missing(client))
  }

  /**
   * @returns what is wrong with the setting, if anything is
   */
  async fault(client?: QueryClientContract): Promise<string | null> {
    try {
      await this.ids(client)
      return null
    } catch (error) {
      if (error instanceof ValueError) return error.message
      throw error
    }
  }

  async #missing(client?: QueryClientContract): Promise<string> {
    const roles = await AdminRole.query({ client }).orderBy('name').select('name')
    const names = roles.map(({ name }) => JSON.stringify(name))
    return `config/admin.ts: defaultRole is ${JSON.stringify(this.name)}, and no role is called so; roles are ${listed(names)}. Name one of them, or null for none`
  }
}
