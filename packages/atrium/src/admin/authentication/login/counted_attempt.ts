import type { HttpContext } from '@adonisjs/core/http'
import { QueueFull } from '../errors.js'
import { loggable } from '../../text/plain_text.js'
import type { LoginThrottle } from './login_throttle.js'

/** One attempt to authenticate. */
interface Attempt<Result> {
  /** User name as typed */
  username: string
  /** Counts the attempt; returns the seconds to wait if the attempt is rejected */
  count: () => Promise<number | undefined>
  /** Reverts the count of the attempt */
  withdraw: () => Promise<void>
  /** Compares the submitted secret */
  compare: () => Promise<Result>
}

/**
 * Seconds to wait after too many attempts; `isBusy` if the comparison is not possible at the moment; or the result
 */
export type Counted<Result> = { wait: number } | { isBusy: true } | { result: Result }

/**
 * Counts an attempt, delays it as the throttle requires, and then compares the secret. If counting fails, nothing is
 * compared, because passwords could otherwise be guessed without limit.
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

/**
 * Waits for the update of the count. If the update fails, the count stays too high for at most `login.withinMinutes`.
 */
export async function settleCount(ctx: HttpContext, counting: Promise<void>): Promise<void> {
  await counting.catch((error) =>
    ctx.logger.error({ reason: reasonOf(error) }, 'A login could not be taken off the count')
  )
}

/**
 * Returns the log fields of an attempt. Only the first 32 characters are logged, which is the maximum length of a user
 * name.
 */
export function whoIs(username: string, { request }: HttpContext) {
  return { username: loggable(username.slice(0, 32)), address: request.ip() }
}

/** Returns the error message without the statement or command, which can be long. */
function reasonOf(error: unknown): string {
  return String((error as Error).message)
    .split('\n', 1)[0]
    .slice(0, 300)
}
