import type { HttpContext } from '@adonisjs/core/http'
import { QueueFull } from '../errors.js'
import { loggable } from '../../text/plain_text.js'
import type { LoginThrottle } from './login_throttle.js'

/**
 * One attempt to prove an identity.
 */
interface Attempt<Result> {
  /** As typed */
  username: string
  /** Counts it; returns the seconds to wait if it is refused */
  count: () => Promise<number | undefined>
  /** Takes it off the count */
  withdraw: () => Promise<void>
  /** Compares what was typed */
  compare: () => Promise<Result>
}

/** Seconds to wait after too many attempts; or nothing can be compared at the moment; or the result */
export type Counted<Result> = { wait: number } | { isBusy: true } | { result: Result }

/**
 * Counts an attempt before it is compared, and delays it as the throttle has it. Without a count, passwords
 * could be guessed without limit, so nothing is compared then. [B8]
 */
export async function countedAttempt<Result>(
  ctx: HttpContext,
  throttle: LoginThrottle,
  { username, count, withdraw, compare }: Attempt<Result>
): Promise<Counted<Result>> {
  const who = whoIs(username, ctx)
  let wait: number | undefined
  try {
    wait = await count()
  } catch (error) {
    ctx.logger.error({ ...who, reason: reasonOf(error) }, 'Login refused: it can not be counted')
    return { isBusy: true }
  }
  if (wait !== undefined) return { wait }
  try {
    await throttle.slowDown(username)
    return { result: await compare() }
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    await settleCount(ctx, withdraw())
    ctx.logger.warn(who, 'Login refused: too many others are being checked')
    return { isBusy: true }
  }
}

/** At worst, a failed update leaves the count too high until `login.withinMinutes` are over. */
export async function settleCount(ctx: HttpContext, counting: Promise<void>): Promise<void> {
  await counting.catch((error) =>
    ctx.logger.error({ reason: reasonOf(error) }, 'A login could not be taken off the count')
  )
}

/**
 * Log fields of an attempt: user names have at most 32 characters, so a longer text is not logged.
 */
export function whoIs(username: string, { request }: HttpContext) {
  return { username: loggable(username.slice(0, 32)), address: request.ip() }
}

/** Error message without the statement or command, which may be long. */
function reasonOf(error: unknown): string {
  return String((error as Error).message)
    .split('\n', 1)[0]
    .slice(0, 300)
}
