import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { deletionEffects, gatherWrites, MOST_COUNTED } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { inTransaction } from '#base/database/transaction'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import type { DeletedMode } from '#base/columns/soft_delete'
import { stillReferredTo } from '#base/http/problems'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import type { Offer } from '../permissions/may.js'
import { BulkFailure } from './errors.js'
import { dropFilesOf } from '../forms/files/file_store.js'
import { actionRecords, reachedByAction } from '../record/action_records.js'
import type { BulkAction } from '../views/bulk_action.js'
import { BulkTask, type ShownEffect } from './bulk_task.js'
import { keyOf } from '#base/items'
import { groupedNumber } from '#base/values/numbers'
import { recordsByKey } from '../event_log/logged_records.js'
import { cutText } from '../list/cell.js'
import { personalViews } from '../views/visible_views.js'
import { isDeletedItem } from '../views/record_items.js'
import { recordLinks } from '../http/record_links.js'
import { inSentence } from '../text/plain_text.js'

/** Runs a bulk action of the view. */
export class ActionTask extends BulkTask {
  readonly #action: BulkAction
  readonly path: string
  readonly value: string
  readonly label: string
  readonly confirms: boolean
  readonly isDestructive: boolean
  readonly needs: Offer
  readonly deleted = 'exclude'
  readonly noneSelected = 'bulk.none.action'
  readonly failed = 'bulk.failed.action'

  constructor(site: Site, view: ModelView, action: BulkAction) {
    super(site, view)
    this.#action = action
    this.path = `/action/${action.name}`
    this.value = action.name
    this.label = action.label
    this.confirms = action.confirms
    this.isDestructive = action.needs === 'delete'
    this.needs = action.needs
  }

  heading(count: number, shown?: string): string {
    const records = this.records(count, shown)
    return this.site.text('bulk.ask.action', { task: this.label, records })
  }

  note(): null {
    return null
  }

  title(count: number): string {
    return this.site.text('bulk.title.action', { task: this.label, records: this.records(count) })
  }

  done(count: number): string {
    return this.title(count)
  }

  protected async reached(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ) {
    return await reachedByAction(ctx, this.site, this.view, this.#action, keys, client)
  }

  protected async perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    outer: QueryClientContract
  ): Promise<string> {
    const { crud, resource } = this.view
    const { actor, origin } = this.view.callOptions(ctx)
    origin.action = this.value
    return await inTransaction(outer, (client) =>
      /* All writes of the action are logged as one event. */
      gatherWrites(client, { model: resource.model, actor, origin }, async () => {
        const options = { client, actor, origin }
        const { site, view } = this
        const records = await actionRecords(ctx, site, view, this.#action, keys, client)
        const own = keys.map((key) => (resource.key.isComposite ? key : key[0]))
        return await this.#action.run({ records, keys: own, crud, options, ctx })
      })
    )
  }
}

export const WRITES = ['delete', 'restore', 'purge'] as const

/** Delete, restore a soft-deleted record, or delete permanently. */
export type Write = (typeof WRITES)[number]

/* Maximum number of records of each model that a message lists */
const MOST_TITLES = 3

const DELETED: Record<Write, DeletedMode> = {
  delete: 'exclude',
  restore: 'only',
  purge: 'include',
}

/** Deletes or restores records. */
export class DeleteOrRestoreTask extends BulkTask {
  readonly path = '/form_bulk_delete'
  readonly value: Write
  readonly label: string
  readonly confirms: boolean
  readonly isDestructive: boolean
  readonly needs: Offer
  readonly deleted: DeletedMode
  readonly noneSelected: string
  readonly failed: string

  constructor(site: Site, view: ModelView, write: Write) {
    super(site, view)
    this.value = write
    this.label = site.text(`bulk.${write}`)
    this.confirms = this.isDestructive = write !== 'restore'
    this.deleted = DELETED[write]
    this.needs = write
    const noun = write === 'restore' ? 'restoration' : 'deletion'
    this.noneSelected = `bulk.none.${noun}`
    this.failed = `bulk.failed.${noun}`
  }

  heading(count: number, shown?: string): string {
    return this.site.text(`bulk.ask.${this.value}`, { records: this.records(count, shown) })
  }

  title(count: number): string {
    return this.site.text(`bulk.title.${this.value}`, { records: this.records(count) })
  }

  done(count: number): string {
    return this.site.text(`bulk.done.${this.value}`, { records: this.records(count) })
  }

  note(count: number): string | null {
    return this.site.text(this.isLasting ? 'bulk.note.lasting' : 'bulk.note.restorable', { count })
  }

  async effects(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    count: number = keys.length
  ): Promise<ShownEffect[]> {
    return this.isLasting ? await shownEffects(ctx, this.site, this.view, keys, count) : []
  }

  /** Runs the task. If other records still refer to the ones to delete, the error message lists them. */
  async run(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract = this.view.client()
  ): Promise<string> {
    try {
      return await super.run(keys, ctx, client)
    } catch (error) {
      const isReferredTo =
        error instanceof BulkFailure && error.data?.cause === stillReferredTo().message
      /* After an error, a transaction cannot run further statements, so these records can't be read. */
      if (!isReferredTo || client.isTransaction) throw error
      const cause = await this.#whatRefers(keys, ctx)
      throw new BulkFailure(400, this.failed, { ...error.data, cause })
    }
  }

  async #whatRefers(keys: readonly KeyValue[], ctx: HttpContext): Promise<string> {
    const { message: cause } = stillReferredTo()
    const effects = await this.effects(keys, ctx)
    const found = effects.filter(({ effect }) => effect === 'refuse')
    if (found.length === 0) return cause
    const parts = found.map(({ subject, records, isAll }) => {
      const titles = records.slice(0, MOST_TITLES).map(({ title }) => title)
      const isCut = !isAll || records.length > MOST_TITLES
      if (titles.length === 0) return subject
      return `${subject} (${titles.join(', ')}${isCut ? ', …' : ''})`
    })
    return `${cause}: ${parts.join('; ')}`
  }

  /**
   * Removes the files of deleted records. In a transaction that includes more than the task, this is done after the
   * commit.
   */
  async #dropFiles(records: readonly LucidRow[], client: QueryClientContract, ctx: HttpContext) {
    if (!client.isTransaction) return await dropFilesOf(this.view, records)
    afterOutermostCommit(client, () => {
      dropFilesOf(this.view, records).catch((error) => {
        ctx.logger.error({ err: error }, `${this.view.name}: files could not be removed`)
      })
    })
  }

  get isLasting(): boolean {
    return this.value === 'purge' || (this.value === 'delete' && !this.view.resource.softDelete)
  }

  protected async reached(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ) {
    const operation = this.value === 'purge' ? 'db_delete' : this.value
    return await this.view.crud.reached(operation, keys, { ...this.view.callOptions(ctx), client })
  }

  protected async perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ): Promise<string> {
    const { crud } = this.view
    const options = { ...this.view.callOptions(ctx), client }
    const records =
      this.value === 'restore'
        ? await crud.restoreMany(keys, options)
        : await crud.deleteMany(keys, { ...options, hard: this.value === 'purge' })
    if (this.isLasting) await this.#dropFiles(records, client, ctx)
    return this.done(records.length)
  }
}

type DeletionEffect = Awaited<ReturnType<typeof deletionEffects>>['effects'][number]
type Effect = DeletionEffect['effect']

/* Maximum number of records of each model that are listed */
const NAMED = 10

/* Effects that prevent the deletion come first. */
const ORDER: readonly Effect[] = ['refuse', 'cascade', 'empty', 'leave']

/**
 * Returns the further effects of a permanent deletion, as far as the signed-in user is allowed to see them. Records
 * that the user is not allowed to see, or whose reference is hidden from the user, are counted without titles.
 *
 * @param view  view with the permissions of the user's roles
 * @param keys   keys of the records to be deleted, at least the first ones
 * @param count  number of all records to be deleted
 * @returns an empty list if the effects cannot be determined, which is logged; the deletion then reports what prevents
 *   it
 */
async function shownEffects(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  keys: readonly KeyValue[],
  count: number
): Promise<ShownEffect[]> {
  try {
    const client = view.client()
    const resources = [...site.models.values()].map(({ resource }) => resource)
    const { effects, ...found } = await deletionEffects(view.resource, keys, { client, resources })
    const isPartial = found.isPartial || count > keys.length
    const views = await personalViews(site, ctx)
    const shown = ORDER.map((effect) =>
      ofEffect(
        ctx,
        site,
        effect,
        effects.filter((one) => one.effect === effect),
        views,
        isPartial
      )
    )
    const parts = await Promise.all(shown)
    return parts.flat()
  } catch (error) {
    ctx.logger.error({ err: error }, `${view.name}: what a deletion does is not known`)
    return []
  }
}

async function ofEffect(
  ctx: HttpContext,
  site: Site,
  effect: Effect,
  found: readonly DeletionEffect[],
  views: ReadonlyMap<string, ModelView>,
  isPartial: boolean
): Promise<ShownEffect[]> {
  const shown: ShownEffect[] = []
  let others = 0
  let isMore = isPartial
  for (const one of found) {
    const view = one.resource && views.get(one.resource.name)
    if (!view || !(await areSeen(ctx, one, views))) {
      others += one.count
      isMore ||= one.isMore
      continue
    }
    const words = { singular: inSentence(view.singular), plural: inSentence(view.label) }
    const number = numberOf(site, one.count, one.isMore || isPartial)
    const subject = site.text('bulk.records', { count: one.count, shown: number, ...words })
    const text = site.text(`bulk.effects.${effect}`, { count: one.count, records: subject })
    const records = await named(ctx, view, one.keys)
    shown.push({ effect, subject, text, records, isAll: records.length === one.count })
  }
  if (others > 0) {
    const number = numberOf(site, others, isMore)
    const subject = site.text('bulk.effects.others', { count: others, shown: number })
    const text = site.text(`bulk.effects.${effect}`, { count: others, records: subject })
    shown.push({ effect, subject, text, records: [], isAll: false })
  }
  return shown
}

/** Returns whether the user is allowed to see the records and the columns by which they refer to the deleted ones. */
async function areSeen(
  ctx: HttpContext,
  { resource, ties }: DeletionEffect,
  views: ReadonlyMap<string, ModelView>
): Promise<boolean> {
  for (const tie of [{ resource, columns: [] }, ...ties]) {
    const view = tie.resource && views.get(tie.resource.name)
    if (!view || view.base.resource !== tie.resource || !(await view.isVisibleTo(ctx))) return false
    if (!view.resource.isLoaded) await view.resource.load()
    const { columns, mixedColumns } = view.resource
    const shown = columns.visible.filter((column) => !mixedColumns.has(column))
    if (!tie.columns.every((name) => shown.some((column) => column.name === name))) return false
  }
  return true
}

function numberOf(site: Site, count: number, isMore: boolean): string {
  if (!isMore) return groupedNumber(count)
  return site.text('bulk.effects.more', {
    shown: groupedNumber(Math.min(count, MOST_COUNTED)),
  })
}

/** Returns the records that the user is allowed to see, with their titles. */
async function named(ctx: HttpContext, view: ModelView, keys: readonly KeyValue[]) {
  if (!view.resource.isLoaded) await view.resource.load()
  const seen = await recordsByKey(ctx, view, keys, 'include')
  const items = seen.slice(0, NAMED)
  const linkTo = await recordLinks(
    ctx,
    view,
    items.map((item) => keyOf(item)!)
  )
  return items.map((item) => ({
    title: cutText(view.titleOf(item)),
    url: linkTo(keyOf(item)!, isDeletedItem(view, item)),
  }))
}
