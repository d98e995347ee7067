import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import type { Origin } from '../types.js'

/**
 * Returns a header as it was sent. AdonisJS treats an empty header as missing.
 *
 * @returns the value; several headers of that name are joined by commas
 */
export function headerOf({ request }: HttpRequest, name: string): string | undefined {
  const header = request.headers[name.toLowerCase()]
  return Array.isArray(header) ? header.join(', ') : header
}

/** Returns the address and other origin data of the request. */
export function originOf({ request }: HttpContext): Origin {
  return {
    requestId: request.id()!,
    ip: request.ip(),
    userAgent: request.header('user-agent')?.slice(0, 255) ?? null,
  }
}

/**
 * A value of a request, stored on its context. A `WeakMap` of contexts would keep the value, and everything that it
 * refers to, in memory until the next full garbage collection: V8's minor collections treat the values of a long-lived
 * map as reachable.
 */
export class RequestValue<Value> {
  readonly #name: symbol

  /** @param name  name for debuggers */
  constructor(name: string) {
    this.#name = Symbol(name)
  }

  get(ctx: HttpContext): Value | undefined {
    return (ctx as any)[this.#name]
  }

  set(ctx: HttpContext, value: Value): void {
    ;(ctx as any)[this.#name] = value
  }

  delete(ctx: HttpContext): void {
    this.set(ctx, undefined as Value)
  }
}
