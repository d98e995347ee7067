import type { LoadRequest } from '../helpers/load.js'
import type { OperationName } from './operations.js'

/** A server in the comparison. */
export interface Contender {
  /** Name in the results */
  name: string
  /** Script that starts it, relative to the project */
  script: string
  operations: readonly OperationName[]
  /** True if it stores an event row and an audit row for each write */
  logsWrites?: boolean
  /** Converts a request to the contender's API, if it differs */
  translate?(operation: OperationName, request: LoadRequest): LoadRequest
  /** Converts a response body to the common format */
  understand?(operation: OperationName, body: any): unknown
}
