import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { errors, type Limiter } from '@adonisjs/limiter'
import { counters } from '#base/counters'
import { identify } from '../endpoints/access.js'
import { crudConfig } from '../settings.js'
import { networkOf } from '#base/http/network'
import { requestsNotCounted, tooManyRequests } from '#base/http/access_problems'

/** Middleware that counts a request before any other work is done. */
export async function rateLimit(ctx: HttpContext, next: NextFn): Promise<void> {
  await limitRate(ctx)
  await next()
}

/**
 * Counts a request, and sets the rate limit headers. Does nothing if no limit is configured.
 *
 * @throws Problem 429  when there were too many requests
 * @throws Problem 503  when the store of the counts fails
 */
export async function limitRate(ctx: HttpContext): Promise<void> {
  const { rateLimit: limit } = crudConfig()
  if (!limit) return
  const { requests, seconds } = limit
  const key = await keyOf(ctx)
  const counter = counters().use({
    requests,
    duration: seconds,
    /* A caller over the limit is refused from memory, so that a flood of requests does not overload the store. */
    inMemoryBlockOnConsumed: requests,
  })
  const { remaining, availableIn, isOver } = await consume(ctx, counter, key)
  ctx.response.header('ratelimit-policy', `"default";q=${requests};w=${seconds}`)
  ctx.response.header('ratelimit', `"default";r=${remaining};t=${availableIn}`)
  if (isOver) throw tooManyRequests(Math.max(1, availableIn))
}

/**
 * Returns the key to count by. A request with an invalid token is counted for its address, like one without a
 * token, so that guessing tokens is limited. Body and query are not used, because callers can vary them freely.
 */
async function keyOf(ctx: HttpContext): Promise<string> {
  const actor = await identify(ctx)
  return actor ? `api:token:${actor.token.id}` : `api:address:${networkOf(ctx.request.ip())}`
}

async function consume(ctx: HttpContext, counter: Limiter, key: string) {
  try {
    const { remaining, availableIn } = await counter.consume(key)
    /* Logged once per caller: a line for each later request could flood the log. */
    if (remaining === 0) ctx.logger.warn({ key }, 'A caller of the API has reached the rate limit')
    return { remaining, availableIn, isOver: false }
  } catch (error) {
    if (error instanceof errors.E_TOO_MANY_REQUESTS) {
      return { remaining: 0, availableIn: error.response.availableIn, isOver: true }
    }
    ctx.logger.error({ err: error }, 'A request of the API could not be counted')
    throw requestsNotCounted()
  }
}
