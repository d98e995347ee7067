import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { LucidCrud, Actor } from '#crud'
import type { Origin } from '#base/types'
import type { Action } from '../permissions/offers.js'

/**
 * Input of a bulk action: the keys of the selected records, and the means to write them in its
 * transaction.
 */
export interface Selection {
  records: LucidRow[]
  keys: readonly unknown[]
  crud: LucidCrud
  /** Pass these options to every `crud` call */
  options: { client: TransactionClientContract; actor: Actor; origin: Origin }
  /** Of the request; in a job, of one by its owner, which has no session and sends no response */
  ctx: HttpContext
}

/**
 * An action on the selected records of a list. It runs in one transaction: all of it happens, or
 * nothing.
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
  /** Name in the URL: letters, digits, `-` and `_` */
  abstract readonly name: string
  /** Label of the button */
  abstract readonly label: string
  /**
   * Action of the view that this one requires: where it is not allowed, the bulk action does not
   * exist
   */
  readonly needs: Action = 'update'
  /** Shows a confirmation page that names the records */
  readonly confirms: boolean = true

  /**
   * @returns a message for the next page
   * @throws  any error; the transaction is then rolled back
   */
  abstract run(selection: Selection): Promise<string>
}
