import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../../admin_site.js'
import { adminActor } from '../../authentication/admin_actor.js'
import type { ModelView } from '../../model_view.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import { readKey } from './record_places.js'

type LoggedResource = Pick<
  AdminAuditLog,
  'resourceType' | 'resourceId' | 'newState' | 'previousState'
>

/**
 * Filters logged records to those whose values the viewer may see. Policy and scope are applied to
 * each record as it is now; for a deleted one, only the policy, to its last state. Where roles reach some
 * records only, they reach no deleted one; and who has roles sees nothing of a model that is gone. [P14, U4]
 */
export class ReadableRecords {
  readonly #refused = new Set<string>()

  private constructor() {}

  /**
   * @param views  of the models, as the viewer may see them
   */
  static async find(
    site: AdminSite,
    ctx: HttpContext,
    rows: readonly LoggedResource[],
    views: ReadonlyMap<string, ModelView>
  ) {
    const found = new ReadableRecords()
    const asked = new Map(rows.map((row) => [identity(row), row]))
    for (const [id, row] of asked) {
      const view = views.get(row.resourceType)
      if (!view) {
        const isGone = !site.models.has(row.resourceType)
        if (!isGone || (await site.permissions.restricts(adminActor(ctx)))) found.#refused.add(id)
        continue
      }
      if (!view.resource.policy && !view.resource.scope) continue
      if (!(await isReadable(view, ctx, row))) found.#refused.add(id)
    }
    return found
  }

  has(row: LoggedResource): boolean {
    return !this.#refused.has(identity(row))
  }
}

async function isReadable(
  view: ModelView,
  ctx: HttpContext,
  row: LoggedResource
): Promise<boolean> {
  const options = view.callOptions(ctx)
  try {
    await view.resource.load()
    const [key] = readKey(view, row.resourceId) ?? []
    /* Throws if the policy refuses. */
    if (key && (await view.crud.find(key, { ...options, deleted: 'include' }))) return true
    /* The record exists, but the scope hides it. */
    if (key && (await view.resource.reader.attributes(options.client, key))) return false
    if (view.resource.projection?.reach('read')) return false
    return await view.crud.allows('read', options, asLogged(view, row))
  } catch (error) {
    /* A policy may need properties that the log does not have. */
    if ((error as { status?: number }).status !== 403) {
      ctx.logger.error({ err: error }, `The policy of ${view.name} can't judge a logged record`)
    }
    return false
  }
}

function asLogged({ resource }: ModelView, { newState, previousState }: LoggedResource): LucidRow {
  const state: Record<string, unknown> = newState ?? previousState ?? {}
  const attributes = Object.entries(state).flatMap(([apiName, value]) => {
    const column = resource.columns.find(apiName)
    return column ? [[column.attribute, value]] : []
  })
  const record = new resource.model() as LucidRow
  record.merge(Object.fromEntries(attributes))
  return record
}

function identity({ resourceType, resourceId }: LoggedResource): string {
  return `${resourceType}/${resourceId}`
}
