import { Exception } from '@adonisjs/core/exceptions'
import { Problem } from '#crud'

/**
 * Too many attempts came from the address. The response has its `Retry-After`.
 */
export class TooManyAttempts extends Exception {
  static status = 429
  static code = 'E_TOO_MANY_ATTEMPTS'
  static message = 'Too many attempts: wait a moment'
}

/** Value of `Retry-After`, in seconds */
export const TRY_AGAIN_IN = 5

/**
 * The queue of waiting work is full.
 */
export class QueueFull extends Problem {
  constructor() {
    super(503, 'Too much is waiting already: try again in a moment', {
      headers: { 'retry-after': String(TRY_AGAIN_IN) },
    })
  }
}
