import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#crud/operations/item_keys'
import type { Condition } from '#crud/request/condition'
import { ListRequest } from '#crud/request/list_request'
import type { KeyValue } from '#crud/resource/key'
import type { Item } from '#crud/types'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { mayEach } from '../../permissions/may.js'

/**
 * A record that the log names.
 */
export interface LoggedRecord {
  resourceType: string | null
  /** Its key as a path has it, without the first slash */
  resourceId: string | null
}

interface Place {
  title: string
  href: string | null
}

/**
 * What the records that the log names are called by now, and where their pages are: of those that
 * still exist and that the viewer may see. One query for each model.
 */
export class RecordPlaces {
  readonly #places = new Map<string, Place>()

  private constructor() {}

  static async find(
    site: AdminSite,
    ctx: HttpContext,
    records: readonly LoggedRecord[]
  ): Promise<RecordPlaces> {
    const found = new RecordPlaces()
    const named = records.filter(({ resourceType, resourceId }) => resourceType && resourceId)
    const groups = Map.groupBy(named, ({ resourceType }) => resourceType!)
    await Promise.all(
      [...groups].map(async ([name, members]) => {
        const view = site.models.get(name)
        if (!view || !(await view.isVisibleTo(ctx))) return
        await found.#add(ctx, view, [...new Set(members.map((one) => one.resourceId!))])
      })
    )
    return found
  }

  of({ resourceType, resourceId }: LoggedRecord): Place | undefined {
    return this.#places.get(`${resourceType}/${resourceId}`)
  }

  /** What records are called is not worth the page. */
  async #add(ctx: HttpContext, view: ModelView, ids: string[]) {
    try {
      await view.resource.load()
      const keys = ids.flatMap((id) => readKey(view, id) ?? [])
      const items = await itemsOf(ctx, view, keys)
      const found = items.map((item) => keyOf(item)!)
      const mayUpdate = await mayEach(ctx, view, 'update', found)
      for (const [index, item] of items.entries()) {
        const path = view.resource.key.toPath(found[index])
        const href = mayUpdate(found[index]) ? view.url(`/update${path}`) : null
        this.#places.set(`${view.name}${path}`, { title: view.titleOf(item), href })
      }
    } catch (error) {
      if ((error as { status?: number }).status === 403) return
      ctx.logger.error({ err: error }, `Logged records of ${view.name} could not be looked up`)
    }
  }
}

/**
 * The key that a record of the log had. The resource must be loaded.
 *
 * @param id  the key as a path has it, without the first slash
 * @returns the key in a list, so that none is an empty one; null if it is none of this model's
 */
export function readKey({ resource }: ModelView, id: string): [KeyValue] | null {
  const { key } = resource
  const parts = id.split('/')
  if (parts.length !== key.columns.length) return null
  try {
    const named = key.params.map((name, index) => [name, decodeURIComponent(parts[index])])
    return [key.fromParams(Object.fromEntries(named))]
  } catch {
    return null
  }
}

async function itemsOf(ctx: HttpContext, view: ModelView, keys: KeyValue[]): Promise<Item[]> {
  if (keys.length === 0) return []
  const { columns, isComposite } = view.resource.key
  const options = { ...view.callOptions(ctx), keys: true }
  const ask = (conditions: Condition[], limit: number) => {
    const paging = { shape: 'offset', offset: 0, limit } as const
    return view.crud.getMulti(
      new ListRequest(conditions, [], paging, 'exclude', { count: false }),
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
