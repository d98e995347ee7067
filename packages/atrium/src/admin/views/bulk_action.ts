import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { LucidCrud, Actor } from '#crud'
import type { Origin } from '#base/types'
import type { Action } from '../permissions/offers.js'

/**
 * Input of a bulk action: the selected records, their keys, and the options to write them in the action's
 * transaction.
 */
export interface Selection {
  records: LucidRow[]
  keys: readonly unknown[]
  crud: LucidCrud
  /** Pass these options to every `crud` call */
  options: { client: TransactionClientContract; actor: Actor; origin: Origin }
  /** Context of the request; in a job, a context of the job's owner without a session and without a response */
  ctx: HttpContext
}

/** An action on the selected records of a list. It runs in one transaction. */
export abstract class BulkAction {
  /** Name in the URL: letters, digits, `-` and `_` */
  abstract readonly name: string
  /** Label of the button */
  abstract readonly label: string
  /** Action of the view that the bulk action requires. If it is not allowed, the bulk action is not available. */
  readonly needs: Action = 'update'
  /** True to show a confirmation page that lists the records */
  readonly confirms: boolean = true

  /**
   * Runs the action.
   *
   * @returns success message for the next page
   * @throws  any error; the transaction is then rolled back
   */
  abstract run(selection: Selection): Promise<string>
}
