import type { LoadRequest } from '../helpers/load.js'
import type { OperationName } from './operations.js'

/**
 * A server that takes part.
 */
export interface Contender {
  /** As the results call it */
  name: string
  /** What starts it, below the project's folder */
  script: string
  operations: readonly OperationName[]
  /** How it wants to be asked, where that is not as the others */
  translate?(operation: OperationName, request: LoadRequest): LoadRequest
  /** What it answers in the words of the others */
  understand?(operation: OperationName, body: any): unknown
}
