import type { HttpContext } from '@adonisjs/core/http'

type Meter = (ctx: HttpContext) => void

let meter: Meter | undefined

/**
 * Registers a function that is called at the start of each request that the mount middleware sees, for metrics. Without
 * it, requests are not measured.
 *
 * @returns a function that removes it
 */
export function meterRequests(start: Meter): () => void {
  meter = start
  return () => {
    if (meter === start) meter = undefined
  }
}

/** Reports the start of a request. */
export function meterRequest(ctx: HttpContext): void {
  meter?.(ctx)
}
