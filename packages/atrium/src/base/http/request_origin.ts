import type { HttpContext } from '@adonisjs/core/http'
import type { Origin } from '../types.js'

/** Returns the address and other origin data of the request. */
export function originOf({ request }: HttpContext): Origin {
  return {
    requestId: request.id()!,
    ip: request.ip(),
    userAgent: request.header('user-agent')?.slice(0, 255) ?? null,
  }
}
