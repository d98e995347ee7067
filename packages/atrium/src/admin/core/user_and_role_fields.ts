import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { AdminSite } from '../admin_site.js'
import { ListColumn, type Cell } from '../views/list_column.js'
import { guardOf } from '../identity/admin_guard.js'
import { type PermissionsDocument, permissionsInWords } from '../models/permissions_document.js'
import { holdersOf, rolesOf, roleIdsOf } from '../permissions/user_roles.js'
import { type Choice, Widget } from '../views/widget.js'
import type AdminUser from '../models/admin_user.js'
import AdminRole from '../models/admin_role.js'

/**
 * Values for the cells of a column of one's own that come from another table: those that one list asks for
 * together are read by one query.
 *
 * @param load  reads the values of the keys; those that have none are left out
 * @returns what a column's `value` asks for the value of one key
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

/**
 * List column with the abilities of an access token, in the form in which they are typed.
 */
export function abilitiesColumn(site: Pick<AdminSite, 'text'>) {
  return class Abilities extends ListColumn {
    readonly name = 'abilities'
    readonly label = site.text('accessTokens.columns.abilities')

    value({ abilities }: Item): string {
      return (abilities as string[]).join(', ')
    }
  }
}

/**
 * List column that marks the viewer's own session, so that they do not end it by mistake.
 */
export function currentSessionColumn(site: Pick<AdminSite, 'text'>) {
  return class CurrentSession extends ListColumn {
    readonly name = 'current'
    readonly label = site.text('core.sessions.current')

    value(item: Item, ctx: HttpContext): string {
      const own = guardOf(ctx).signedIn?.session.id
      return keyOf(item)?.[0] === own ? site.text('core.sessions.thisOne') : ''
    }
  }
}

type Site = Pick<AdminSite, 'text' | 'dbConfig' | 'url'>

/**
 * The column of the users' list that names their roles. [U1]
 */
export function rolesColumn(site: Site) {
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

/**
 * The column of the roles' list that says how many users have them.
 */
export function holdersColumn(site: Site) {
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

/**
 * The column of the roles' list that says in words what a role may do. [U6]
 */
export function mayColumn(site: Pick<AdminSite, 'text'>) {
  return class May extends ListColumn {
    readonly name = 'may'
    readonly label = site.text('roles.list.may')

    value({ permissions }: Item): string {
      return permissionsInWords((permissions ?? {}) as PermissionsDocument).join('. ')
    }
  }
}

/** Hidden input next to the roles, so that a form without a chosen role sends the field */
const NONE = 'none'

/**
 * The roles of a user, chosen by their names; a blank form begins with the default role. [U5, U6]
 */
export function rolesWidget(site: Pick<AdminSite, 'dbConfig' | 'adminUserService'>) {
  return class RolesWidget extends Widget {
    readonly template = 'admin/partials/fields/roles'
    readonly sheet = 'roles.css'
    readonly isGroup = true

    read(values: string[]): number[] {
      return values
        .filter((value) => value !== NONE)
        .map((value) => (/^\d{1,10}$/.test(value) ? Number(value) : Number.NaN))
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
      /* A default that is not there is said by who creates without naming roles. */
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
