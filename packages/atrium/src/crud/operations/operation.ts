/** Operations that the endpoints of a model can offer, in display order. */
export const OPERATIONS = ['create', 'read', 'read_multi', 'update', 'delete', 'db_delete'] as const

export type Operation = (typeof OPERATIONS)[number]

/** True for operations that only read; restoring a deleted record is a write. */
export function isRead(operation: Operation | 'restore'): boolean {
  return operation === 'read' || operation === 'read_multi'
}

/** Operations that a batch can contain, in the order of execution. */
export const BATCH_OPERATIONS = ['create', 'update', 'delete'] as const

export type BatchOperation = (typeof BATCH_OPERATIONS)[number]

/** The lists of a batch, in the order of execution. An upsert needs create and update. */
export const BATCH_PARTS = ['create', 'update', 'upsert', 'delete'] as const

export type BatchPart = (typeof BATCH_PARTS)[number]

export function isOperation(name: string): name is Operation {
  return (OPERATIONS as readonly string[]).includes(name)
}
