import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { type LucidCrud, type Actor, ValueError } from '#crud'
import type { Origin } from '#base/types'
import { type Action, ACTIONS } from '../permissions/offers.js'
import { shown, listed } from '#base/errors'

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

/**
 * Creates the bulk actions of a view, one instance per class.
 *
 * @throws ValueError  for an invalid bulk action
 */
export function makeBulkActions(
  view: string,
  classes: Iterable<new () => BulkAction> = []
): BulkAction[] {
  const actions = new Map<string, BulkAction>()
  for (const Class of classes) {
    const given = Class as { prototype?: unknown; name?: string } | null | undefined
    if (!(given?.prototype instanceof BulkAction)) {
      throw new ValueError(
        `${view}: bulkActions contains something that is not a subclass of BulkAction: ${given?.name ?? shown(given)}`
      )
    }
    const action = new Class()
    const place = `${view}: the bulk action ${Class.name}`
    if (typeof action.name !== 'string' || !/^[A-Za-z0-9_-]+$/.test(action.name)) {
      throw new ValueError(
        `${place} is named '${action.name}', which is not valid in a URL; use letters, digits, - and _`
      )
    }
    const other = actions.get(action.name)
    if (other) {
      throw new ValueError(
        `${place} and ${other.constructor.name} are both named '${action.name}'; give one of them another name`
      )
    }
    if (typeof action.label !== 'string' || action.label.trim() === '') {
      throw new ValueError(
        `${place} has the label ${shown(action.label)}, and must have a text for its button`
      )
    }
    if (!ACTIONS.includes(action.needs)) {
      throw new ValueError(
        `${place} needs '${action.needs}', which is not an action; actions are ${listed(ACTIONS)}`
      )
    }
    actions.set(action.name, action)
  }
  return [...actions.values()]
}
