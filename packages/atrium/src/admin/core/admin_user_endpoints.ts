import type { HttpContext } from '@adonisjs/core/http'
import { EndpointCreator, type Item } from '#crud'
import { fullItemOf, isUnreadable, keyOf, noteKey, notePart } from '#base/items'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { KeyValue } from '#base/columns/key'
import type AdminUser from '../models/admin_user.js'
import { rolesOf } from '../permissions/user_roles.js'
import { ROLES } from './admin_user_schemas.js'

type Values = Record<string, unknown>
type List = Awaited<ReturnType<EndpointCreator['readItems']>>

/**
 * The endpoints of users: their responses have the ids of the roles, but where the caller chose fields. [U6]
 */
export class AdminUserEndpoints extends EndpointCreator {
  async readItem(ctx: HttpContext): Promise<Item> {
    const item = await super.readItem(ctx)
    if (ctx.request.qs().fields !== undefined) return item
    const [shown] = await this.#withRoles(ctx, [item])
    return notePart(shown, fullItemOf(item) ?? item)
  }

  async readItems(ctx: HttpContext): Promise<List> {
    const list = await super.readItems(ctx)
    if (ctx.request.qs().fields !== undefined) return list
    return { ...list, data: await this.#withRoles(ctx, list.data) }
  }

  protected override async insertItem(values: Values, ctx: HttpContext): Promise<Item> {
    return await this.#answered(ctx, await super.insertItem(values, ctx))
  }

  protected override async changeItem(
    key: KeyValue,
    values: Values,
    returning: boolean,
    ctx: HttpContext
  ): Promise<Item | null> {
    const item = await super.changeItem(key, values, returning, ctx)
    return item && (await this.#answered(ctx, item))
  }

  async #answered(ctx: HttpContext, item: Item): Promise<Item> {
    if (isUnreadable(item)) return item
    const [shown] = await this.#withRoles(ctx, [item])
    return notePart(shown, item)
  }

  async #withRoles(ctx: HttpContext, items: readonly Item[]): Promise<Item[]> {
    const ids = items.map(({ id }) => id as AdminUser['id'])
    const client = this.callOptions(ctx).client ?? this.resource.client()
    const roles = await rolesOf(ids, client.isTransaction ? client : (readersOf(client) ?? client))
    return items.map((item) => {
      const own = (roles.get(item.id as number) ?? []).map(({ id }) => id)
      const shown = { ...item, [ROLES]: own.toSorted((one, other) => one - other) }
      const key = keyOf(item)
      return key ? noteKey(shown, key) : shown
    })
  }
}
