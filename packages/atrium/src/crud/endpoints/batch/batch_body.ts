import type { FieldError } from '#base/errors'
import { invalidBody, tooManyOperations } from '#base/http/problems'
import { BATCH_OPERATIONS, type BatchOperation } from '../../operations/operation.js'

/** Maximum number of operations of one batch. [D4] */
export const MOST_OPERATIONS = 1000

/** The lists of a body, as they were sent. */
export type SentBatch = Record<BatchOperation, readonly unknown[]>

/**
 * Reads the lists of a batch's body; a missing one is empty. [D4]
 *
 * @param offered   the operations that the model has
 * @param isStrict  true to refuse other fields
 * @throws Problem 422  for a list that is none, or of an operation that the model has not, and for too many
 *   operations
 */
export function batchIn(
  body: Record<string, unknown>,
  offered: readonly string[],
  isStrict: boolean
): SentBatch {
  const sent: SentBatch = { create: [], update: [], delete: [] }
  const errors: FieldError[] = []
  for (const name of BATCH_OPERATIONS) {
    if (!Object.hasOwn(body, name)) continue
    const list = body[name]
    if (!Array.isArray(list)) {
      errors.push({ field: name, rule: 'array', message: `The ${name} field must be an array` })
    } else if (list.length > 0 && !offered.includes(name)) {
      const message = `The ${name} field is not for items that have no ${name}`
      errors.push({ field: name, rule: 'offered', message })
    } else sent[name] = list
  }
  if (isStrict && Object.keys(body).some((name) => !isOperation(name))) errors.push(unknownField())
  if (errors.length > 0) throw invalidBody(errors)
  const count = BATCH_OPERATIONS.reduce((sum, name) => sum + sent[name].length, 0)
  if (count > MOST_OPERATIONS) throw tooManyOperations(MOST_OPERATIONS, count)
  return sent
}

function isOperation(name: string): boolean {
  return (BATCH_OPERATIONS as readonly string[]).includes(name)
}

function unknownField(): FieldError {
  return { field: '', rule: 'unknown', message: 'A batch has the fields create, update and delete' }
}
