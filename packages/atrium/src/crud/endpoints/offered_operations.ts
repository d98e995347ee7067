import { checkOperations } from '../checks.js'
import { ValueError } from '#base/errors'
import { OPERATIONS, type Operation } from '../operations/operation.js'
import type { EndpointOptions } from './endpoint_options.js'

/**
 * The operations that a model's options offer. [S5, S6, S7]
 *
 * @param place  the model's name, for the message
 * @throws ValueError  when the options contradict each other or name an unknown operation
 */
export function offeredOperations(
  place: string,
  { includedMethods, deletedMethods, deleteSchema }: EndpointOptions
): Set<Operation> {
  if (includedMethods && deletedMethods) {
    throw new ValueError(
      `${place}: includedMethods and deletedMethods can't both be given; use one of them`
    )
  }
  const included = checkOperations(place, 'includedMethods', includedMethods)
  const deleted = checkOperations(place, 'deletedMethods', deletedMethods)
  if (included?.has('db_delete') && !deleteSchema) {
    throw new ValueError(
      `${place}: includedMethods names db_delete, which exists only with a deleteSchema`
    )
  }
  return new Set(
    OPERATIONS.filter(
      (operation) =>
        (included?.has(operation) ?? true) &&
        !deleted?.has(operation) &&
        (operation !== 'db_delete' || deleteSchema !== undefined)
    )
  )
}
