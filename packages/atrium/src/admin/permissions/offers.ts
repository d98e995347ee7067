export const ACTIONS = ['view', 'create', 'update', 'delete'] as const

/** Actions on a model in the admin site. */
export type Action = (typeof ACTIONS)[number]

/**
 * Something that a page can offer: an action of the view, permanent deletion, restore, export, or the page of a
 * record.
 */
export type Offer = Action | 'purge' | 'restore' | 'read' | 'export'
