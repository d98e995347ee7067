import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithUsers } from '../authentication/admin_user_service.js'
import { ListColumn, type Cell } from '../views/list_column.js'
import { rowId } from '../views/record_items.js'
import { guardOf } from '../identity/admin_guard.js'
import { type PermissionsDocument, permissionsInWords } from '../models/permissions_document.js'
import { holdersOf, rolesOf, roleIdsOf } from '../permissions/user_roles.js'
import { type Choice, Widget } from '../views/widget.js'
import type AdminUser from '../models/admin_user.js'
import AdminRole from '../models/admin_role.js'

/**
 * Batches the values of a list column that come from another table: all cells of a list are read by one query.
 *
 * @param load  reads the values of the keys; keys without a value are missing in the result
 * @returns a function that a column's `value` calls for the value of one key
 */
function batchedValues<Key, Value>(
  load: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>
): (ctx: HttpContext, key: Key) => Promise<Value | undefined> {
  const batches = new WeakMap<
    HttpContext,
    { keys: Key[]; values: Promise<ReadonlyMap<Key, Value>> }
  >()
  return async (ctx, key) => {
    let batch = batches.get(ctx)
    if (!batch) {
      const keys: Key[] = []
      const values = Promise.resolve().then(() => {
        batches.delete(ctx)
        return load(keys)
      })
      batches.set(ctx, (batch = { keys, values }))
    }
    batch.keys.push(key)
    const values = await batch.values
    return values.get(key)
  }
}

/** List column with the abilities of an access token, in the syntax that users type. */
export function abilitiesColumn(site: Pick<Site, 'text'>) {
  return class Abilities extends ListColumn {
    readonly name = 'abilities'
    readonly label = site.text('accessTokens.columns.abilities')

    value({ abilities }: Item): string {
      return (abilities as string[]).join(', ')
    }
  }
}

/** List column that marks the viewer's current session, so that users do not end it by mistake. */
export function currentSessionColumn(site: Pick<Site, 'text'>) {
  return class CurrentSession extends ListColumn {
    readonly name = 'current'
    readonly label = site.text('core.sessions.current')

    value(item: Item, ctx: HttpContext): string {
      const own = guardOf(ctx).signedIn?.session.id
      return keyOf(item)?.[0] === own ? site.text('core.sessions.thisOne') : ''
    }
  }
}

type ColumnSite = Pick<Site, 'text' | 'url'> & WithDatabase

/** Column of the users' list with the names of their roles. */
export function rolesColumn(site: ColumnSite) {
  const rolesOfOne = batchedValues((ids: number[]) => rolesOf(ids, site.dbConfig.readingSession()))
  return class Roles extends ListColumn {
    readonly name = 'roles'
    readonly label = site.text('core.users.roles')

    async value(item: Item, ctx: HttpContext): Promise<string> {
      const roles = await rolesOfOne(ctx, keyOf(item)![0] as number)
      return (roles ?? []).map(({ name }) => name).join(', ')
    }
  }
}

/** Column of the roles' list with the number of users of each role. */
export function holdersColumn(site: ColumnSite) {
  const holdersOfOne = batchedValues((ids: number[]) =>
    holdersOf(ids, site.dbConfig.readingSession())
  )
  return class Holders extends ListColumn {
    readonly name = 'users'
    readonly label = site.text('core.roles.users')
    readonly numeric = true

    async value(item: Item, ctx: HttpContext): Promise<Cell> {
      const [id] = keyOf(item)!
      const holders = (await holdersOfOne(ctx, id as number)) ?? 0
      if (holders === 0) return { text: '0' }
      return { text: String(holders), href: site.url(`/AdminRole/update/${id}#role-users`) }
    }
  }
}

/** Column of the roles' list that describes the permissions of each role in words. */
export function mayColumn(site: Pick<Site, 'text'>) {
  return class May extends ListColumn {
    readonly name = 'may'
    readonly label = site.text('roles.list.may')

    value({ permissions }: Item): string {
      return permissionsInWords((permissions ?? {}) as PermissionsDocument).join('. ')
    }
  }
}

/** Value of a hidden input next to the roles, so that a form without a selected role still sends the field */
const NONE = 'none'

/** Widget for the roles of a user, selected by name. An empty form has the default role selected. */
export function rolesWidget(site: WithUsers & WithDatabase) {
  return class RolesWidget extends Widget {
    readonly template = 'admin/partials/fields/roles'
    readonly sheet = 'roles.css'
    readonly isGroup = true

    read(values: string[]): number[] {
      return values.filter((value) => value !== NONE).map((value) => rowId(value) ?? Number.NaN)
    }

    async choices(_ctx: HttpContext): Promise<Choice[]> {
      const client = site.dbConfig.readingSession()
      const roles = await AdminRole.query({ client })
        .orderBy('name')
        .select('id', 'name', 'description')
      return roles.map(({ id, name, description }) => ({
        value: String(id),
        label: name,
        help: description,
      }))
    }

    async initial(): Promise<string[]> {
      const { defaultRole } = site.adminUserService
      const client = site.dbConfig.readingSession()
      /* If the default role is missing, none is selected. Creating a user without roles reports the missing role. */
      if (await defaultRole.error(client)) return []
      const ids = await defaultRole.ids(client)
      return ids.map(String)
    }

    async stored(record: LucidRow): Promise<string[]> {
      const ids = await roleIdsOf((record as AdminUser).id, site.dbConfig.readingSession())
      return ids.map(String)
    }
  }
}
