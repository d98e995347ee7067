import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Gives every answer its request's id. The log has it from the same place: `acceptRequestId` has
 * already thrown away what a caller must not write into it. [A26]
 */
export default class RequestIdMiddleware {
  handle({ request, response }: HttpContext, next: NextFn) {
    response.header('x-request-id', request.id()!)
    return next()
  }
}
