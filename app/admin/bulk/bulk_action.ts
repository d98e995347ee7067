import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { LucidCrud } from '#crud'
import type { Actor, Origin } from '#crud/types'
import type { Action } from '../view_options.js'

/**
 * What a bulk action works on: the selected records, and how to write them in its transaction.
 */
export interface Selection {
  records: LucidRow[]
  keys: readonly unknown[]
  crud: LucidCrud
  /** To be handed to every operation of `crud` */
  options: { client: TransactionClientContract; actor: Actor; origin: Origin }
  ctx: HttpContext
}

/**
 * Something that can be done with the selected records of a list. All of it happens in one
 * transaction, or nothing.
 *
 * @example
 * ```ts
 * class Discontinue extends BulkAction {
 *   name = 'discontinue'
 *   label = 'Discontinue'
 *   async run({ keys, crud, options }: Selection) {
 *     for (const key of keys) await crud.update(key, { category: 'Discontinued' }, options)
 *     return `${keys.length} products discontinued`
 *   }
 * }
 * ```
 */
export abstract class BulkAction {
  /** As it stands in the address: letters, digits, `-` and `_` */
  abstract readonly name: string
  /** What its button says */
  abstract readonly label: string
  /** Which action of the view it belongs to: where that is not allowed, it does not exist */
  readonly needs: Action = 'update'
  /** Whether a page asks first, naming the records */
  readonly confirms: boolean = true

  /**
   * @returns what the next page says was done
   * @throws  anything; nothing is changed then
   */
  abstract run(selection: Selection): Promise<string>
}
