import { Exception } from '@adonisjs/core/exceptions'
import { errors as vineErrors } from '@vinejs/vine'
import { unavailability } from '../database/unavailable.js'
import { Problem } from '../errors.js'
import { internalError, invalidBody, unavailable } from './problems.js'

/**
 * Converts any thrown value to a problem. Only exceptions of the application concern the caller's request; the status
 * of other errors, such as a 404 of another server, does not.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof vineErrors.E_VALIDATION_ERROR) return invalidBody(error.messages)
  if (error instanceof Exception && error.status >= 400 && error.status < 500) {
    return new Problem(error.status, error.message || 'The request was refused')
  }
  const reason = unavailability(error)
  return reason ? unavailable(reason) : internalError()
}
