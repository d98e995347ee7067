import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { ValueError } from '#crud'
import { listed } from '#base/errors'
import AdminRole from '../models/admin_role.js'

const PIVOT = 'admin_user_roles'

/** Returns the ids of a user's roles, in ascending order. */
export async function roleIdsOf(userId: number, client: QueryClientContract): Promise<number[]> {
  const rows = await client
    .from(PIVOT)
    .where('user_id', userId)
    .orderBy('role_id')
    .select('role_id')
  return rows.map(({ role_id: id }) => id)
}

/** Returns the roles of several users, by user id, sorted by name; users without roles are left out. */
export async function rolesOf(
  userIds: readonly number[],
  client: QueryClientContract
): Promise<Map<number, Array<{ id: number; name: string }>>> {
  if (userIds.length === 0) return new Map()
  const rows: Array<{ user_id: number; id: number; name: string }> = await client
    .from(PIVOT)
    .join('admin_roles', 'admin_roles.id', `${PIVOT}.role_id`)
    .whereIn(`${PIVOT}.user_id`, [...userIds])
    .orderBy('admin_roles.name')
    .select(`${PIVOT}.user_id as user_id`, 'admin_roles.id as id', 'admin_roles.name as name')
  return new Map(
    [...Map.groupBy(rows, ({ user_id: id }) => id)].map(([id, roles]) => [
      id,
      roles.map(({ id: roleId, name }) => ({ id: roleId, name })),
    ])
  )
}

/**
 * Sets the roles of a user. The caller must raise the user's permissions version.
 *
 * @param roleIds  ids of existing roles
 */
export async function setRoles(
  userId: number,
  roleIds: readonly number[],
  client: TransactionClientContract
): Promise<void> {
  const wanted = [...new Set(roleIds)]
  const present = await roleIdsOf(userId, client)
  const added = wanted.filter((id) => !present.includes(id))
  const removed = present.filter((id) => !wanted.includes(id))
  if (removed.length > 0) {
    await client.from(PIVOT).where('user_id', userId).whereIn('role_id', removed).delete()
  }
  if (added.length > 0) {
    const rows = added.map((id) => ({ user_id: userId, role_id: id }))
    await client.table(PIVOT).multiInsert(rows)
  }
}

/**
 * Removes a role from all of its users. The caller must raise the permissions versions of these users.
 *
 * @returns role ids of each user before and after, by user id
 */
export async function takeFromAll(
  roleId: number,
  client: TransactionClientContract
): Promise<Map<number, { old: number[]; now: number[] }>> {
  const holders = await client
    .from(PIVOT)
    .where('role_id', roleId)
    .orderBy('user_id')
    .select('user_id')
    .forUpdate()
  const rows = await client
    .from(PIVOT)
    .whereIn('user_id', client.from(PIVOT).where('role_id', roleId).select('user_id'))
    .orderBy('role_id')
    .select('user_id', 'role_id')
  await client.from(PIVOT).where('role_id', roleId).delete()
  const roles = Map.groupBy(rows, ({ user_id: id }) => id as number)
  return new Map(
    holders.map(({ user_id: id }) => {
      const old = (roles.get(id) ?? []).map((row) => row.role_id as number)
      return [id, { old, now: old.filter((one) => one !== roleId) }]
    })
  )
}

/** Returns the ids that do not belong to a role. */
export async function unknownRoles(
  ids: readonly number[],
  client: QueryClientContract
): Promise<number[]> {
  if (ids.length === 0) return []
  const found = await AdminRole.query({ client })
    .whereIn('id', [...ids])
    .select('id')
  const known = new Set(found.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

/** Returns the number of users of each role; roles without users are left out. */
export async function holdersOf(
  roleIds: readonly number[],
  client: QueryClientContract
): Promise<Map<number, number>> {
  if (roleIds.length === 0) return new Map()
  const rows: Array<{ role_id: number; total: unknown }> = await client
    .from(PIVOT)
    .whereIn('role_id', [...roleIds])
    .groupBy('role_id')
    .select('role_id')
    .count('* as total')
  return new Map(rows.map(({ role_id: id, total }) => [id, Number(total)]))
}

/** The role of users who are created without roles. */
export class DefaultRole {
  /** @param name  `defaultRole` of `config/admin.ts`; null without a default role */
  constructor(readonly name: string | null) {}

  /**
   * Returns the id of the default role in an array, which is empty without a default.
   *
   * @throws ValueError  if no role has the name
   */
  async ids(client?: QueryClientContract): Promise<number[]> {
    if (this.name === null) return []
    const role = await AdminRole.query({ client }).where('name', this.name).first()
    if (role) return [role.id]
    throw new ValueError(await this.#missing(client))
  }

  /** Returns the error of the setting, or null. */
  async error(client?: QueryClientContract): Promise<string | null> {
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
