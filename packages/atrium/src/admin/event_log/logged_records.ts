import { readKey } from '../views/record_items.js'
import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import type { Condition } from '#base/columns/condition'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { personalViews } from '../views/visible_views.js'
import { recordLinks } from '../http/record_links.js'

/** A record that the log refers to. */
export interface LoggedRecord {
  resourceType: string | null
  /** Key in the format of URL paths, without the leading slash */
  resourceId: string | null
}

interface Place {
  title: string
  href: string | null
}

/**
 * Current titles and URLs of the logged records that still exist and that the viewer can see. Runs one query per
 * model.
 */
export class LoggedRecords {
  readonly #places = new Map<string, Place>()

  /** @param views  views of the models, limited by the viewer's roles */
  private constructor(readonly views: ReadonlyMap<string, ModelView>) {}

  static async find(
    site: Site,
    ctx: HttpContext,
    records: readonly LoggedRecord[]
  ): Promise<LoggedRecords> {
    const found = new LoggedRecords(await personalViews(site, ctx))
    const named = records.filter(({ resourceType, resourceId }) => resourceType && resourceId)
    const groups = Map.groupBy(named, ({ resourceType }) => resourceType!)
    await Promise.all(
      [...groups].map(async ([name, members]) => {
        const view = found.views.get(name)
        if (!view || !(await view.isVisibleTo(ctx))) return
        await found.#add(ctx, view, [...new Set(members.map((one) => one.resourceId!))])
      })
    )
    return found
  }

  of({ resourceType, resourceId }: LoggedRecord): Place | undefined {
    return this.#places.get(`${resourceType}/${resourceId}`)
  }

  /** Adds the places of a model's records. Errors are not thrown, as the page works without titles. */
  async #add(ctx: HttpContext, view: ModelView, ids: string[]) {
    try {
      await view.resource.load()
      const keys = ids.flatMap((id) => readKey(view, id) ?? [])
      const items = await recordsByKey(ctx, view, keys)
      const found = items.map((item) => keyOf(item)!)
      const linkTo = await recordLinks(ctx, view, found)
      for (const [index, item] of items.entries()) {
        const path = view.resource.key.toPath(found[index])
        const place = { title: view.titleOf(item), href: linkTo(found[index]) }
        this.#places.set(`${view.name}${path}`, place)
      }
    } catch (error) {
      if ((error as { status?: number }).status === 403) return
      ctx.logger.error({ err: error }, `Logged records of ${view.name} could not be looked up`)
    }
  }
}

/**
 * Returns the items for keys that the signed-in user can list, with their keys, in no particular order.
 *
 * @throws Problem 403  if the policy refuses listing
 */
export async function recordsByKey(
  ctx: HttpContext,
  view: ModelView,
  keys: readonly KeyValue[],
  deleted: DeletedMode = 'exclude'
): Promise<Item[]> {
  if (keys.length === 0) return []
  const { columns, isComposite } = view.resource.key
  const options = { ...view.callOptions(ctx), keys: true }
  const ask = (conditions: Condition[], limit: number) => {
    const paging = { shape: 'offset', offset: 0, limit } as const
    return view.crud.getMulti(
      new ListRequest(conditions, [], paging, deleted, { count: false }),
      options
    )
  }
  if (!isComposite) {
    const values = keys.map(([value]) => value)
    const condition: Condition = { type: 'list', column: columns[0], values, negate: false }
    const { data } = await ask([condition], keys.length)
    return data
  }
  const found = await Promise.all(
    keys.map((key) =>
      ask(
        columns.map((column, index) => ({
          type: 'compare',
          column,
          operator: 'eq',
          value: key[index],
        })),
        1
      )
    )
  )
  return found.flatMap(({ data }) => data)
}
