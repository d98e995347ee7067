export const ACTIONS = ['view', 'create', 'update', 'delete'] as const

/** Actions on a model in the admin site. [S26, B14] */
export type Action = (typeof ACTIONS)[number]

/** An offer of a page: an action of the view, purging, restoring, an export, or the page of one record. */
export type Offer = Action | 'purge' | 'restore' | 'read' | 'export'

/**
 * The action of a view that an offer belongs to: a view without the one does not have the other. [B14]
 */
export function actionOf(offer: Offer): Action {
  if (offer === 'read' || offer === 'export') return 'view'
  return offer === 'purge' || offer === 'restore' ? 'delete' : offer
}
