import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { gatherWrites, reachedOf } from '#crud/internals'
import { identityOf, type KeyValue } from '#base/columns/key'
import { inTransaction } from '#base/database/transaction'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import type { Offer } from '../permissions/may.js'
import type { BulkAction } from './bulk_action.js'
import { BulkTask } from './bulk_task.js'

/**
 * Runs a bulk action of the view.
 */
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

  constructor(site: AdminSite, view: ModelView, action: BulkAction) {
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
    const { actor } = this.view.callOptions(ctx)
    const scopes = await this.site.permissions.reachOf(actor, this.view.name, this.value)
    if (scopes === null) return keys
    const found = await reachedOf(this.view.resource, keys, [scopes], client, { actor })
    return keys.filter((key) => found.get(identityOf(key))?.[0])
  }

  protected async perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    outer: QueryClientContract
  ): Promise<string> {
    const { crud, resource } = this.view
    const { actor, origin } = this.view.callOptions(ctx)
    return await inTransaction(outer, (client) =>
      /* All writes of the action are one event. */
      gatherWrites(client, { model: resource.model, actor, origin }, async () => {
        const options = { client, actor, origin }
        const records = await crud.findMany(keys, options)
        await this.authorize(keys, ctx, client)
        const own = keys.map((key) => (resource.key.isComposite ? key : key[0]))
        return await this.#action.run({ records, keys: own, crud, options, ctx })
      })
    )
  }
}
