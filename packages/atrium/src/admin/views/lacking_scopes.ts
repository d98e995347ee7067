import type { HttpContext } from '@adonisjs/core/http'
import type { Scope } from '#crud'
import type { Actor } from '#base/types'
import { adminActor } from '../identity/admin_actor.js'
import { wordsOf } from '../text/plain_text.js'
import type { WithUserAttributes } from '../config/user_attributes.js'
import type { ModelView } from './model_view.js'
import type { RolePermissions } from '../permissions/role_permissions.js'

/** A scope that includes no records, as the user has no value for it. */
interface LackingScope {
  /** Name of the scope of a role; undefined for the scope of the model */
  scope: string | undefined
  /** Label of the user's attribute, or the column that is compared if the attribute is not known */
  value: string
}

interface GovernedSite extends WithUserAttributes {
  readonly permissions: RolePermissions
}

/** Returns the scopes of a model that include no records for the signed-in user for lack of an attribute. */
export async function lackingScopes(
  ctx: HttpContext,
  { permissions, userAttributes }: GovernedSite,
  { name, options, resource }: ModelView
): Promise<LackingScope[]> {
  const actor = adminActor(ctx)
  const reach = await permissions.reachOf(actor, name, 'view')
  const own = Object.entries(options.scopes ?? {}).filter(([, scope]) => reach?.includes(scope))
  const scopes: Array<[string | undefined, Scope]> = [...own]
  if (resource.base.scope) scopes.unshift([undefined, resource.base.scope])
  return scopes.flatMap(([scope, apply]) => {
    let attribute: string | undefined
    const reading = withReadAttributes(actor, (read) => (attribute = read))
    const column = resource.base.comparedWithoutValue(apply, reading)
    if (column === undefined) return []
    if (attribute === undefined) return { scope, value: column }
    return { scope, value: userAttributes[attribute]?.label ?? wordsOf(attribute) }
  })
}

/** Returns an actor that reports each attribute without a value that is read from its user. */
function withReadAttributes(actor: Actor, report: (name: string) => void): Actor {
  const user = actor.user as { attributes?: object } | undefined
  if (!user?.attributes) return actor
  const attributes = new Proxy(user.attributes, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (value === undefined || value === null) report(String(name))
      return value
    },
  })
  const reading = Object.create(user, { attributes: { value: attributes } })
  return { ...actor, user: reading } as Actor
}
