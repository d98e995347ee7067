export const ACTIONS = ['view', 'create', 'update', 'delete'] as const

/** Actions on a model in the admin site. [S26, B14] */
export type Action = (typeof ACTIONS)[number]
