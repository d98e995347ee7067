import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { CallOptions, LucidCrud, Resource, GrantedOperation } from '#crud'
import type { Column } from '#base/columns/column'
import { Records } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import type { AdminViewOptions } from '../views/view_options.js'
import { operatorOf } from '../identity/admin_actor.js'
import { guardOf } from '../identity/admin_guard.js'
import type { Offer } from './offers.js'
import type { RolePermissions } from './role_permissions.js'

/** The parts of a view that permission checks use. */
interface PermittedView {
  readonly name: string
  readonly resource: Resource
  readonly crud: Pick<LucidCrud, 'allows' | 'reached'>
  readonly isWithheld: boolean
  may(offer: Offer): boolean
  admits(ctx: HttpContext): boolean
  callOptions(ctx: HttpContext): CallOptions & { client: QueryClientContract }
  /** Returns the view for the signed-in user; same class */
  for(ctx: HttpContext): Promise<PermittedView>
}

/** The parts of a view that the user's roles limit. */
export interface NarrowedView extends PermittedView {
  readonly adminSite: { readonly permissions: RolePermissions } | undefined
  readonly allowedActions: ReadonlySet<string>
  readonly titleColumn: Column | undefined
  readonly titleColumns: readonly Column[]
  readonly bulkActions: ReadonlyArray<{ readonly name: string; readonly needs: Offer }>
  readonly recordActions: ReadonlyArray<{ readonly name: string; readonly needs: Offer }>
  readonly options: AdminViewOptions
  client(): QueryClientContract
}

export type { Offer } from './offers.js'

const OPERATIONS: Record<Offer, GrantedOperation> = {
  view: 'read_multi',
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  purge: 'db_delete',
  restore: 'restore',
  export: 'read_multi',
}

/* Cached per request, as a page checks the same permission several times: for the sidebar, a button and a link. */
const PERMITTED = new WeakMap<HttpContext, Map<string, Promise<boolean>>>()

/**
 * Checks a permission before a page, button or link is offered to the signed-in user. The result only decides what is
 * shown; roles and policy authorize every operation again.
 *
 * @param record  record of the operation; without it, the permission on the model in general is checked
 */
export async function may(
  ctx: HttpContext,
  view: PermittedView,
  offer: Offer,
  record?: LucidRow
): Promise<boolean> {
  const own = await personal(ctx, view)
  if (!own?.may(offer) || !own.admits(ctx)) return false
  if (operatorOf(ctx)) return true
  const { policy, projection } = own.resource
  if (!policy && !(record && projection)) return true
  if (record) return await allows(ctx, own, offer, record)

  const permitted = PERMITTED.get(ctx) ?? new Map<string, Promise<boolean>>()
  PERMITTED.set(ctx, permitted)
  const id = `${view.name} ${offer}`
  let isPermitted = permitted.get(id)
  if (!isPermitted) permitted.set(id, (isPermitted = allows(ctx, own, offer)))
  return await isPermitted
}

/**
 * Returns the view for the signed-in user, for parts of a page that are left out if there is none.
 *
 * @returns null if the user's roles do not allow viewing the model, or after an error, which is logged
 */
export async function personal<View extends PermittedView>(
  ctx: HttpContext,
  view: View
): Promise<View | null> {
  try {
    const own = (await view.for(ctx)) as View
    return own.isWithheld ? null : own
  } catch (error) {
    ctx.logger.error({ err: error }, `${view.name}: what the user may do is not known`)
    return null
  }
}

/** Returns all permissions of the signed-in user on the model in general. */
export async function offersOf(ctx: HttpContext, view: PermittedView): Promise<ReadonlySet<Offer>> {
  const offers = (Object.keys(OPERATIONS) as Offer[]).filter((offer) => offer !== 'read')
  const permitted = await Promise.all(offers.map((offer) => may(ctx, view, offer)))
  return new Set(offers.filter((_, index) => permitted[index]))
}

/**
 * Checks a permission on several records by their keys. Reads the records only if the policy checks each record, and
 * checks the scopes only if the roles are limited to some records. A missing record has no permission.
 *
 * @param keys  keys of records that the signed-in user is allowed to read
 * @returns a function that returns true if the record of a key has the permission
 */
export async function mayEach(
  ctx: HttpContext,
  view: PermittedView,
  offer: Offer,
  keys: readonly KeyValue[]
): Promise<(key: KeyValue) => boolean> {
  const found = keys.filter(isWhole)
  if (found.length === 0) return () => false
  const own = await personal(ctx, view)
  if (!own) return () => false
  const reachesAll = own.resource.projection?.coversReadableRecords(OPERATIONS[offer]) ?? true
  if (!dependsOnRecord(own) && reachesAll) {
    const isAllowed = await may(ctx, own, offer)
    return (key) => isAllowed && isWhole(key)
  }
  if (!own.may(offer) || !own.admits(ctx)) return () => false
  const { key: keyOf } = own.resource
  const allowed = new Set<string>()
  try {
    const options = own.callOptions(ctx)
    const reached = reachesAll ? found : await own.crud.reached(OPERATIONS[offer], found, options)
    const permitted = dependsOnRecord(own)
      ? await authorizedKeys(ctx, own, offer, reached)
      : (await may(ctx, own, offer))
        ? reached
        : []
    for (const key of permitted) allowed.add(keyOf.toPath(key))
  } catch (error) {
    /* The page is shown without these links instead of failing. */
    ctx.logger.error({ err: error }, `${view.name}: what may be done with records is not known`)
  }
  return (key) => allowed.has(keyOf.toPath(key))
}

/** Returns true if the key has no null. Rows of a database view can lack a key, and have no URL then. */
function isWhole(key: KeyValue): boolean {
  return !key.includes(null)
}

/** Returns the keys of the records that both the roles and the policy allow. */
async function authorizedKeys(
  ctx: HttpContext,
  view: PermittedView,
  offer: Offer,
  keys: readonly KeyValue[]
): Promise<KeyValue[]> {
  const records = new Records(view.resource)
  const { client, ...options } = view.callOptions(ctx)
  const wanted = { ...options, deleted: 'include' } as const
  const allowed: KeyValue[] = []
  for (const record of await records.findExisting(keys, client, wanted)) {
    const isAllowed = await guarded(ctx, view, () =>
      records.allows(operationOf(offer, record), options, record)
    )
    if (isAllowed) allowed.push(view.resource.key.of(record))
  }
  return allowed
}

/**
 * Returns true if the permission depends on the record, because the policy declares the fourth parameter, `record`.
 */
export function dependsOnRecord({ resource }: PermittedView): boolean {
  return resource.authorizesRecords
}

async function allows(ctx: HttpContext, view: PermittedView, offer: Offer, record?: LucidRow) {
  if (!guardOf(ctx).signedIn) return false
  const operation = operationOf(offer, record)
  return await guarded(
    ctx,
    view,
    () => view.crud.allows(operation, view.callOptions(ctx), record),
    /* If a policy that needs the record fails without one, the permission counts as given. */
    !record && dependsOnRecord(view)
  )
}

async function guarded(
  ctx: HttpContext,
  { name }: PermittedView,
  ask: () => Promise<boolean>,
  isAllowedWithoutCheck = false
): Promise<boolean> {
  try {
    return await ask()
  } catch (error) {
    if (isAllowedWithoutCheck) return true
    ctx.logger.error({ err: error }, `${name}: the policy could not be asked`)
    return false
  }
}

function operationOf(offer: Offer, record: LucidRow | undefined): GrantedOperation {
  return offer === 'view' && record ? 'read' : OPERATIONS[offer]
}
