import type { HttpContext } from '@adonisjs/core/http'
import { pivotRelationsOf } from '#base/lucid/pivot_relation'
import type { AdminSite } from '../../admin_site.js'
import { adminActor } from '../../authentication/admin_actor.js'
import type { ModelView } from '../../model_view.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import { seenManyToMany, type ManyToMany } from '../../relations/many_to_many.js'
import { titlesOf } from '../../relations/references.js'

type Logged = Pick<AdminAuditLog, 'resourceType' | 'newState' | 'previousState' | 'changes'>

/* Databases limit the values of one statement. */
const KEYS_AT_ONCE = 500

/** The related records of a relation, as the viewer may see them */
interface Related {
  titles: ReadonlyMap<string, string>
  /** True if keys without a title are shown, as those of records that are gone */
  showsKeys: boolean
}

/**
 * Values of many-to-many relations in the log, in words for the viewer: titles of the records that they may see, and
 * the keys of those that are gone for viewers whom nothing restricts. [R3, U4]
 */
export class LoggedRelations {
  readonly #related = new Map<string, Related>()
  readonly #withheld = new Set<string>()

  private constructor() {}

  /**
   * One query per relation.
   *
   * @param views  of the models, as the viewer may see them
   */
  static async find(
    site: AdminSite,
    ctx: HttpContext,
    rows: readonly Logged[],
    views: ReadonlyMap<string, ModelView>
  ): Promise<LoggedRelations> {
    const found = new LoggedRelations()
    const isRestricted = await site.permissions.restricts(adminActor(ctx))
    for (const [name, logged] of Map.groupBy(rows, ({ resourceType }) => resourceType)) {
      const view = views.get(name)
      if (!view) continue
      const seen = await seenManyToMany(ctx, site, view)
      for (const { name: relation } of pivotRelationsOf(view.model)) {
        const many = seen.find((one) => one.name === relation)
        const id = identity(name, relation)
        if (many) found.#related.set(id, await relatedIn(ctx, many, logged, isRestricted))
        else if (isRestricted || view.manyToMany.some((one) => one.name === relation)) {
          found.#withheld.add(id)
        }
      }
    }
    return found
  }

  /** True if the viewer may not see the relation. */
  withholds(model: string, name: string): boolean {
    return this.#withheld.has(identity(model, name))
  }

  /**
   * The value in words.
   *
   * @returns undefined for what is not a relation
   */
  wordsOf(model: string, name: string, value: unknown): string | null | undefined {
    const related = this.#related.get(identity(model, name))
    if (!related || !(Array.isArray(value) || value === null)) return undefined
    const words = (value ?? []).flatMap((entry: unknown) => {
      const { id, ...rest } = entryOf(entry)
      const title = related.titles.get(String(id))
      if (title === undefined && !related.showsKeys) return []
      const named = title === undefined ? String(id) : `${title} (${id})`
      const values = Object.values(rest).filter((one) => one !== null && one !== '')
      return values.length > 0 ? `${named}: ${values.join(', ')}` : named
    })
    return words.length > 0
      ? words.join(words.some((one) => one.includes(': ')) ? '\n' : ', ')
      : null
  }
}

async function relatedIn(
  ctx: HttpContext,
  { name, reference }: ManyToMany,
  rows: readonly Logged[],
  isRestricted: boolean
): Promise<Related> {
  const values = rows.flatMap(({ changes, newState, previousState }) => [
    previousState?.[name],
    newState?.[name],
    changes?.[name]?.old,
    changes?.[name]?.new,
  ])
  const entries = values.flatMap((value) => (Array.isArray(value) ? value : []))
  const keys = [...new Set(entries.map((entry) => entryOf(entry).id))]
  const titles = new Map<string, string>()
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const some = await titlesOf(ctx, reference, keys.slice(start, start + KEYS_AT_ONCE))
    for (const [key, title] of some) titles.set(key, title)
  }
  const { policy, scope } = reference.view.resource
  return { titles, showsKeys: !isRestricted && !policy && !scope }
}

/** A key alone, or with the columns of the pivot row. */
function entryOf(entry: unknown): { id: unknown } & Record<string, unknown> {
  return typeof entry === 'object' && entry !== null
    ? (entry as { id: unknown } & Record<string, unknown>)
    : { id: entry }
}

function identity(model: string, name: string): string {
  return `${model} ${name}`
}
