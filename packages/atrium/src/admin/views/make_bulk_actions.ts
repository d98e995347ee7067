import { ValueError } from '#crud'
import { shown, listed } from '#base/errors'
import { ACTIONS } from '../permissions/offers.js'
import type { AdminViewOptions } from './view_options.js'
import { BulkAction } from './bulk_action.js'

/**
 * Creates the bulk actions of a view, one instance per class.
 *
 * @throws ValueError  for an invalid bulk action
 */
export function makeBulkActions(
  view: string,
  classes: AdminViewOptions['bulkActions'] = []
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
