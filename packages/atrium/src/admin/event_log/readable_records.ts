import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotRelationsOf } from '#base/lucid/pivot_relation'
import type { Site } from '../views/site.js'
import { adminActor } from '../identity/admin_actor.js'
import type { ModelView } from '../views/model_view.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import { seenManyToMany, type ManyToMany } from '../relations/many_to_many.js'
import { titlesOf } from '../relations/references.js'
import { readKey } from '../views/record_items.js'
import { ROWS_PER_READ, chunks } from '#base/chunks'

type LoggedResource = Pick<
  AdminAuditLog,
  'resourceType' | 'resourceId' | 'newState' | 'previousState'
>

/**
 * Finds the logged records whose values the viewer can see. Policy and scope are applied to the current record; for a
 * deleted record only the policy, to its last state. If roles are limited to some records, deleted records are not
 * visible; if the model no longer exists, users with roles see none of its records.
 */
export class ReadableRecords {
  readonly #refused = new Set<string>()

  private constructor() {}

  /** @param views  views of the models, limited by the viewer's roles */
  static async find(
    site: Site,
    ctx: HttpContext,
    rows: readonly LoggedResource[],
    views: ReadonlyMap<string, ModelView>
  ) {
    const found = new ReadableRecords()
    const requested = new Map(rows.map((row) => [identity(row), row]))
    for (const [id, row] of requested) {
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
    /* `find` throws if the policy refuses. */
    if (key && (await view.crud.find(key, { ...options, deleted: 'include' }))) return true
    /* The record exists but is outside of the viewer's scope. */
    if (key && (await view.resource.reader.attributes(options.client, key))) return false
    if (view.resource.projection?.reach('read')) return false
    return await view.crud.allows('read', options, asLogged(view, row))
  } catch (error) {
    /* A policy can need properties that are not in the log. If it fails, the record is not readable. */
    if ((error as { status?: number }).status !== 403) {
      ctx.logger.error({ err: error }, `The policy of ${view.name} failed for a logged record`)
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

type Logged = Pick<AdminAuditLog, 'resourceType' | 'newState' | 'previousState' | 'changes'>

/** The related records of a relation that the viewer can see */
interface Related {
  titles: ReadonlyMap<string, string>
  /** True if keys without a title are shown, because their records are deleted */
  showsKeys: boolean
}

/**
 * Formats values of many-to-many relations in the log: titles of the records that the viewer can see; for
 * unrestricted viewers also the keys of deleted records.
 */
export class LoggedRelations {
  readonly #related = new Map<string, Related>()
  readonly #withheld = new Set<string>()

  private constructor() {}

  /**
   * Reads the related records, with one query per relation.
   *
   * @param views  views of the models, limited by the viewer's roles
   */
  static async find(
    site: Site,
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
        const id = identityOf(name, relation)
        if (many) found.#related.set(id, await relatedIn(ctx, many, logged, isRestricted))
        else if (isRestricted || view.manyToMany.some((one) => one.name === relation)) {
          found.#withheld.add(id)
        }
      }
    }
    return found
  }

  /** Returns true if the viewer is not allowed to see the relation. */
  withholds(model: string, name: string): boolean {
    return this.#withheld.has(identityOf(model, name))
  }

  /**
   * Formats a value.
   *
   * @returns undefined if the name is not a relation; null if no related record is shown
   */
  wordsOf(model: string, name: string, value: unknown): string | null | undefined {
    const related = this.#related.get(identityOf(model, name))
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
  for (const some of chunks(keys, ROWS_PER_READ)) {
    for (const [key, title] of await titlesOf(ctx, reference, some)) titles.set(key, title)
  }
  const { policy, scope } = reference.view.resource
  return { titles, showsKeys: !isRestricted && !policy && !scope }
}

/** Converts a logged entry, which is a key or an object with the key and the pivot columns. */
function entryOf(entry: unknown): { id: unknown } & Record<string, unknown> {
  return typeof entry === 'object' && entry !== null
    ? (entry as { id: unknown } & Record<string, unknown>)
    : { id: entry }
}

function identityOf(model: string, name: string): string {
  return `${model} ${name}`
}
