import type { Action } from './actions.js'

/** An offer of a page: an action of the view, purging, or restoring. */
export type Offer = Action | 'purge' | 'restore'

/**
 * The action of a view that an offer belongs to: where the view has not the one, nobody has the other. [B14]
 */
export function actionOf(offer: Offer): Action {
  return offer === 'purge' || offer === 'restore' ? 'delete' : offer
}
