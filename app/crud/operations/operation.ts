/** The operations that a model's endpoints can offer, in listing order. [S1] */
export const OPERATIONS = ['create', 'read', 'read_multi', 'update', 'delete', 'db_delete'] as const

export type Operation = (typeof OPERATIONS)[number]

/**
 * The operations that change data.
 */
export const WRITE_OPERATIONS: readonly Operation[] = ['create', 'update', 'delete', 'db_delete']

export function isOperation(name: string): name is Operation {
  return (OPERATIONS as readonly string[]).includes(name)
}
