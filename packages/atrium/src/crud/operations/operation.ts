/** The operations that a model's endpoints can offer, in listing order. [S1] */
export const OPERATIONS = ['create', 'read', 'read_multi', 'update', 'delete', 'db_delete'] as const

export type Operation = (typeof OPERATIONS)[number]

/**
 * The operations that change data.
 */
export const WRITE_OPERATIONS: readonly Operation[] = ['create', 'update', 'delete', 'db_delete']

/** True for what only reads; a restore of a deleted record writes, too. */
export function isRead(operation: Operation | 'restore'): boolean {
  return operation === 'read' || operation === 'read_multi'
}

/** The operations that a batch is made of, in the order of their execution. [D4] */
export const BATCH_OPERATIONS = ['create', 'update', 'delete'] as const

export type BatchOperation = (typeof BATCH_OPERATIONS)[number]

export function isOperation(name: string): name is Operation {
  return (OPERATIONS as readonly string[]).includes(name)
}
