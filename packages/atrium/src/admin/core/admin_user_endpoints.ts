import vine from '@vinejs/vine'
import type { HttpContext } from '@adonisjs/core/http'
import { EndpointCreator, type Item } from '#crud'
import { fullItemOf, isUnreadable, keyOf, noteKey, notePart } from '#base/items'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { KeyValue } from '#base/columns/key'
import { SHORTEST_PASSWORD, type AdminUserService } from '../authentication/admin_user_service.js'
import { attributesSchema, type UserAttributes } from '../config/user_attributes.js'
import {
  LONGEST_USERNAME,
  ROLES,
  SHORTEST_USERNAME,
  type default as AdminUser,
} from '../models/admin_user.js'
import { rolesOf } from '../permissions/user_roles.js'
import { LARGEST_ID } from '../views/record_items.js'

/** Form field of a user update that also revokes the user's access tokens */
export const REVOKE_TOKENS = 'revoke_tokens'

/** Form field for a new user who chooses the password by a link */
export const INVITE = 'invite'

const MOST_ROLES = 500
const LONGEST_EMAIL = 254

/**
 * Returns true unless the body requests an invitation. Forms send texts, JSON bodies can contain other types.
 */
const isNotInvited = ({ data }: { data: Record<string, unknown> }) =>
  ![true, 'true', 1, '1', 'on'].includes(data[INVITE] as string)

/** Returns the schemas for admin users. The rules and messages are those of the user service. */
export function adminUserSchemas(users: AdminUserService, attributes: UserAttributes = {}) {
  const accepted = (check: (text: string) => void, name: string) =>
    vine.createRule((value, _options, field) => {
      try {
        check(value as string)
      } catch (error) {
        field.report((error as Error).message, name, field)
      }
    })()

  /*
   * The minimum lengths become attributes of the inputs. There is no maximum length, because browsers silently
   * truncate a longer password when it is pasted.
   */
  const password = () =>
    vine
      .string()
      .minLength(SHORTEST_PASSWORD)
      .use(accepted((text) => users.checkPassword(text), 'password'))
  const create = vine.object({
    username: vine
      .string()
      .minLength(SHORTEST_USERNAME)
      .maxLength(LONGEST_USERNAME)
      .use(accepted((text) => users.checkUsername(text), 'username')),
    password: password().optional().requiredWhen(isNotInvited),
    [INVITE]: vine.boolean().optional(),
    email: vine.string().email().maxLength(LONGEST_EMAIL).nullable().optional(),
    is_superuser: vine.boolean().optional(),
    [ROLES]: vine
      .array(vine.number().positive().withoutDecimals().max(LARGEST_ID))
      .maxLength(MOST_ROLES)
      .nullable()
      .optional(),
    attributes: attributesSchema(attributes).optional(),
  })
  const properties = create.partial().getProperties()
  const update = vine.object({
    username: properties.username,
    password: password().optional(),
    email: properties.email,
    is_superuser: properties.is_superuser,
    [ROLES]: properties[ROLES],
    attributes: properties.attributes,
    [REVOKE_TOKENS]: vine.boolean().optional(),
  })
  return { create, update }
}

type Values = Record<string, unknown>
type List = Awaited<ReturnType<EndpointCreator['readItems']>>

/** Endpoints of users. Responses include the ids of the roles, unless the client selects fields. */
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
    return await this.#responded(ctx, await super.insertItem(values, ctx))
  }

  protected override async changeItem(
    key: KeyValue,
    values: Values,
    returning: boolean,
    ctx: HttpContext
  ): Promise<Item | null> {
    const item = await super.changeItem(key, values, returning, ctx)
    return item && (await this.#responded(ctx, item))
  }

  async #responded(ctx: HttpContext, item: Item): Promise<Item> {
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
