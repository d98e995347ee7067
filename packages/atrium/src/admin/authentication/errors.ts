import { Exception } from '@adonisjs/core/exceptions'
import { Problem } from '#crud'

/** The address made too many attempts. The response has a `Retry-After` header. */
export class TooManyAttempts extends Exception {
  static status = 429
  static code = 'E_TOO_MANY_ATTEMPTS'
  static message = 'Too many attempts: wait a moment'
}

/** Value of `Retry-After`, in seconds */
export const TRY_AGAIN_IN = 5

/** Too many operations are waiting in the queue. */
export class QueueFull extends Problem {
  constructor() {
    super(503, 'Too much is waiting already: try again in a moment', {
      headers: { 'retry-after': String(TRY_AGAIN_IN) },
    })
  }
}
