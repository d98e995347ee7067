import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { reachedOf, Records } from '#crud/internals'
import { identityOf, type KeyValue } from '#base/columns/key'
import { NotAllowed } from '../http/errors.js'
import type { Action } from '../permissions/offers.js'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'

/** The properties of an application's action that determine which users can run it. */
interface NamedAction {
  readonly name: string
  readonly needs: Action
}

/**
 * Returns the keys of the records on which the roles of the signed-in user allow an action. The roles must grant both
 * the action's own name and the view's action in `needs`, such as `update`.
 *
 * @param keys  keys of records that the user is allowed to read
 */
export async function reachedByAction(
  ctx: HttpContext,
  { permissions }: Pick<Site, 'permissions'>,
  view: ModelView,
  { name, needs }: NamedAction,
  keys: readonly KeyValue[],
  client: QueryClientContract
): Promise<readonly KeyValue[]> {
  const options = { ...view.callOptions(ctx), client }
  const needed = await view.crud.reached(operationOf(needs), keys, options)
  const scopes = await permissions.reachOf(options.actor, view.name, name)
  if (scopes === null) return needed
  const found = await reachedOf(view.resource, needed, [scopes], client, options)
  return needed.filter((key) => found.get(identityOf(key))?.[0])
}

/**
 * Returns the records for an action, locked in its transaction. The records are complete, as the action may need values
 * that the user cannot see.
 *
 * @throws UnknownKey   for the first key without a record that the user can see
 * @throws NotAllowed   if the roles do not allow the action on one of them
 * @throws Problem 403  if the policy does not allow it
 */
export async function actionRecords(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  action: NamedAction,
  keys: readonly KeyValue[],
  client: TransactionClientContract
): Promise<LucidRow[]> {
  const records = new Records(view.resource)
  const options = { ...view.callOptions(ctx), client }
  const found = await records.locateMany(keys, client, options, true)
  const reached = await reachedByAction(ctx, site, view, action, keys, client)
  if (reached.length < keys.length) throw new NotAllowed()
  for (const record of found) {
    await records.authorize('read', options, record)
    if (action.needs !== 'view') await records.authorize(operationOf(action.needs), options, record)
  }
  return found
}

function operationOf(needs: Action) {
  return needs === 'view' ? 'read' : needs
}
