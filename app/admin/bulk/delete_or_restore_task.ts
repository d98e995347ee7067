import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { afterOutermostCommit, type KeyValue, type DeletedMode } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { dropFilesOf } from '../forms/files/file_store.js'
import type { ModelView } from '../model_view.js'
import type { Offer } from '../permissions/may.js'
import { BulkTask } from './bulk_task.js'

export const WRITES = ['delete', 'restore', 'purge'] as const

/** Delete, restore a soft-deleted record, or delete for good. [B16] */
export type Write = (typeof WRITES)[number]

const DELETED: Record<Write, DeletedMode> = {
  delete: 'exclude',
  restore: 'only',
  purge: 'include',
}

/**
 * Deletes or restores records. [S52, B16]
 */
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

  constructor(site: AdminSite, view: ModelView, write: Write) {
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
    return this.site.text(this.#isLasting ? 'bulk.note.lasting' : 'bulk.note.restorable', { count })
  }

  /** Within a transaction around the task, files are removed only after its commit. */
  async #dropFiles(records: readonly LucidRow[], client: QueryClientContract, ctx: HttpContext) {
    if (!client.isTransaction) return await dropFilesOf(this.view, records)
    afterOutermostCommit(client, () => {
      dropFilesOf(this.view, records).catch((error) => {
        ctx.logger.error({ err: error }, `${this.view.name}: files could not be removed`)
      })
    })
  }

  get #isLasting(): boolean {
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
    if (this.#isLasting) await this.#dropFiles(records, client, ctx)
    return this.done(records.length)
  }
}
