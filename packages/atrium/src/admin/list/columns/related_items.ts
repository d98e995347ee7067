import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { LucidCrud, type Item } from '#crud'
import { ListRequest } from '#crud/internals'
import { selectFields, type Fields } from '#base/columns/fields'
import { keyOf } from '#base/items'
import { titlesIfReadable, type Reference } from '../../relations/references.js'
import type { ModelView } from '../../views/model_view.js'
import type { RelatedColumn, RelatedStep } from '../../views/related_columns.js'

/**
 * Reads the records that are related to the items of a list. A result has one record per item, in the same order; it is
 * an empty item if there is none that the user can see.
 */
export class RelatedItems {
  readonly #read = new Map<string, Promise<Item[]>>()

  /**
   * @param columns  all columns that are shown
   * @param items    items of the list, with the values that refer to related records
   * @param client   client of a snapshot, for models on the connection of the list; default: those of the views
   */
  constructor(
    private readonly ctx: HttpContext,
    private readonly columns: readonly RelatedColumn<ModelView>[],
    private readonly items: Item[],
    private readonly client?: QueryClientContract
  ) {}

  /**
   * Returns the related records that contain the values of a column. Runs one query per relation, for all columns
   * together.
   *
   * @throws Problem 403  if the policy refuses listing
   */
  async of({ steps }: RelatedColumn<ModelView>): Promise<Item[]> {
    return await this.#at(steps)
  }

  #at(steps: readonly RelatedStep<ModelView>[]): Promise<Item[]> {
    if (steps.length === 0) return Promise.resolve(this.items)
    const path = pathOf(steps)
    let read = this.#read.get(path)
    if (!read) this.#read.set(path, (read = this.#related(steps)))
    return read
  }

  async #related(steps: readonly RelatedStep<ModelView>[]): Promise<Item[]> {
    const parents = await this.#at(steps.slice(0, -1))
    const { link, target, view } = steps.at(-1)!
    const values = parents.map((item) => item[link.apiName])
    const wanted = [...new Set(values.filter((value) => value !== null && value !== undefined))]
    const found = new Map<string, Item>()
    const own = await view.for(this.ctx)
    const column = own.resource.columns.find(target.apiName)
    if (wanted.length === 0 || !column) return parents.map(() => ({}))
    const request = new ListRequest(
      [{ type: 'list', column, values: wanted, negate: false }],
      [],
      { shape: 'offset', offset: 0, limit: column.isPrimary ? wanted.length : MOST },
      'exclude',
      { count: false, fields: this.#fields(own, steps) }
    )
    const { data } = await own.crud.getMulti(request, { ...this.#options(own), keys: true })
    const index = own.resource.key.columns.indexOf(column)
    for (const item of data) {
      const id = String(index < 0 ? item[target.apiName] : keyOf(item)![index])
      if (!found.has(id)) found.set(id, item)
    }
    return values.map((value) => found.get(String(value)) ?? {})
  }

  #options(view: ModelView) {
    const options = view.callOptions(this.ctx)
    const { client } = this
    const isTogether = client?.connectionName === options.client.connectionName
    return isTogether ? { ...options, client: client! } : options
  }

  /** Fields to read of a relation's records. Undefined, for all fields, if custom code reads them. */
  #fields(
    { crud, resource }: ModelView,
    steps: readonly RelatedStep<ModelView>[]
  ): Fields | undefined {
    if (crud.getMulti !== LucidCrud.prototype.getMulti) return undefined
    const path = pathOf(steps)
    const depth = steps.length
    const names = this.columns
      .filter((column) => pathOf(column.steps.slice(0, depth)) === path)
      .map((column) => (column.steps[depth]?.link ?? column.column).apiName)
    const known = new Set(resource.fields.map(({ apiName }) => apiName))
    const all = [...names, steps.at(-1)!.target.apiName]
    return selectFields(
      resource,
      all.filter((name) => known.has(name))
    )
  }
}

/* No limit, as a `hasOne` without a unique index can have several records per item */
const MOST = Number.MAX_SAFE_INTEGER

function pathOf(steps: readonly RelatedStep<ModelView>[]): string {
  return steps.map(({ name }) => name).join('.')
}

/**
 * Returns a function that reads the items with the values of a column: the items of the list, or a related record for
 * each of them. If related records can't be read, the list is shown without their values.
 */
export function relatedReader(
  ctx: HttpContext,
  view: ModelView,
  columns: ReadonlyArray<{ related?: RelatedColumn<ModelView> }>,
  items: Item[]
): (column: { related?: RelatedColumn<ModelView> }) => Item[] | Promise<Item[]> {
  const all = columns.flatMap(({ related }) => related ?? [])
  const read = new RelatedItems(ctx, all, items)
  return ({ related }) => {
    if (!related) return items
    return read.of(related).catch((error: unknown) => {
      if ((error as { status?: number }).status !== 403) {
        ctx.logger.error({ err: error }, `${view.name}: ${related.name} could not be read`)
      }
      return items.map(() => ({}))
    })
  }
}

/** Returns the titles of the records that a reference of related records refers to. */
export async function relatedTitles(
  ctx: HttpContext,
  { column, view }: RelatedColumn<ModelView>,
  reference: Reference,
  items: Item[] | Promise<Item[]>
): Promise<Map<string, string>> {
  const found = await items
  return await titlesIfReadable(
    ctx,
    view,
    reference,
    found.map((item) => item[column.apiName])
  )
}
