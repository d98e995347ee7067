import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { noteTag } from '../http/preconditions.js'
import type { UpdateOptions } from '../operations/call_options.js'
import type { Item } from '../types.js'
import { actorOf } from './access.js'
import { handleDeleteMany, handleUpdateMany } from './handlers/bulk_handlers.js'
import { ModelEndpoints } from './model_endpoints.js'

/**
 * The database calls of the write endpoints, which a subclass of `EndpointCreator` can override, and the endpoints that
 * write all items that match.
 */
export abstract class ItemWrites extends ModelEndpoints {
  /** Returns the client and the actor of the request. */
  protected abstract callOptions(ctx: HttpContext): UpdateOptions

  /** PATCH without a key: changes all items that match the filters. */
  async updateItems(ctx: HttpContext): Promise<{ updated: number }> {
    return await handleUpdateMany(ctx, {
      ...(await this.#bulkOf(ctx)),
      change: (key, values) => this.changeItem(key, values, false, ctx),
      isOverridden: this.changeItem !== ItemWrites.prototype.changeItem,
    })
  }

  /** DELETE without a key: deletes all items that match the filters. */
  async deleteItems(ctx: HttpContext): Promise<{ deleted: number }> {
    return await handleDeleteMany(ctx, {
      ...(await this.#bulkOf(ctx)),
      remove: (key) => this.removeItem(key, ctx),
      isOverridden: this.removeItem !== ItemWrites.prototype.removeItem,
    })
  }

  /** Performs the database call of `createItem` and `batchItems`. */
  protected insertItem(values: Record<string, unknown>, ctx: HttpContext): Promise<Item> {
    return this.crud.create(values, this.callOptions(ctx))
  }

  /** Performs the database call of `updateItem` and `batchItems`. */
  protected async changeItem(
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean,
    ctx: HttpContext
  ): Promise<Item | null> {
    const written = (await this.callers.mayRead(ctx))
      ? (item: Item) => noteTag(ctx, item)
      : undefined
    return await this.crud.update(key, values, { ...this.callOptions(ctx), returning, written })
  }

  /** Performs the database call of `deleteItem` and `batchItems`. */
  protected removeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.delete(key, this.callOptions(ctx))
  }

  /** Performs the database call of `dbDelete`. */
  protected purgeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.dbDelete(key, this.callOptions(ctx))
  }

  async #bulkOf(ctx: HttpContext) {
    return {
      access: this.callers,
      crud: this.crud,
      operations: this.operations,
      resource: await this.resource.for(actorOf(ctx)),
      callOptions: () => this.callOptions(ctx),
    }
  }
}
