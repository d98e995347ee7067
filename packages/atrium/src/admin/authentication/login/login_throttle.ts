import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type Limiter } from '@adonisjs/limiter'
import { counters } from '#base/counters'
import { networkOf } from '#base/http/network'
import type { AdminConfig } from '../../config/define_config.js'
import { QueueFull } from './work_queue.js'
import type { HttpContext } from '@adonisjs/core/http'
import { loggable } from '../../text/plain_text.js'

/* Limit of the counter of a name's failures from all addresses. The counter delays logins and never blocks them. */
const NO_LIMIT = 1_000_000_000

/**
 * Limits how often passwords can be guessed, across all processes: per name and address, and per address. Failures for
 * a name from many addresses delay logins with that name but lock no user out. Every attempt is counted before the
 * password is compared, so that concurrent attempts are all counted; successful attempts are subtracted again.
 */
export class LoginThrottle {
  #slowed = 0

  constructor(
    readonly config: Pick<
      AdminConfig['login'],
      | 'attempts'
      | 'withinMinutes'
      | 'attemptsPerAddress'
      | 'quickAttemptsPerName'
      | 'slowestSeconds'
      | 'slowedAtOnce'
    >
  ) {}

  /**
   * Counts an attempt.
   *
   * @returns undefined if the attempt is allowed, otherwise the seconds to wait
   */
  async attempt(username: string, address: string): Promise<number | undefined> {
    const keys = keysOf(username, address)
    /* A rejected attempt is not counted, so that other users at the address do not have to wait for it. */
    const wait =
      (await this.#perName.availableIn(keys.name)) ||
      (await this.#perAddress.availableIn(keys.address))
    if (wait > 0) return wait

    const addressWait = await consume(this.#perAddress, keys.address)
    if (addressWait !== undefined) return addressWait
    const nameWait = await consume(this.#perName, keys.name)
    if (nameWait !== undefined) await this.#perAddress.decrement(keys.address)
    else await consume(this.#anywhere, keys.anywhere)
    return nameWait
  }

  /**
   * Counts an attempt at a second factor like an attempt at a password, and also per user for all addresses together.
   * The latter can only lock out a user whose password is known to others.
   *
   * @returns undefined if the attempt is allowed, otherwise the seconds to wait
   */
  async attemptFactor(
    { id, username }: { id: number; username: string },
    address: string
  ): Promise<number | undefined> {
    const key = factorKey(id)
    const wait = await this.#perUser.availableIn(key)
    if (wait > 0) return wait
    const passwordWait = await this.attempt(username, address)
    if (passwordWait !== undefined) return passwordWait
    const userWait = await consume(this.#perUser, key)
    if (userWait !== undefined) await this.withdraw(username, address)
    return userWait
  }

  /**
   * Counts an attempt without a name, such as a callback of single sign-on, for the address only.
   *
   * @returns undefined if the attempt is allowed, otherwise the seconds to wait
   */
  async attemptOfAddress(address: string): Promise<number | undefined> {
    return await consume(this.#perAddress, keysOf('', address).address)
  }

  async withdrawOfAddress(address: string): Promise<void> {
    await this.#perAddress.decrement(keysOf('', address).address)
  }

  /** Reverts the count of an attempt at a second factor that was never compared. */
  async withdrawFactor(
    { id, username }: { id: number; username: string },
    address: string
  ): Promise<void> {
    await this.withdraw(username, address)
    await this.#perUser.decrement(factorKey(id))
  }

  /**
   * After a login with a second factor: resets the failures of the name, and reverts the count of this attempt at a
   * factor. Failures at factors stay counted, because someone else who knows the password would otherwise get new
   * guesses with each login of the user.
   */
  async succeedWithFactor(
    { id, username }: { id: number; username: string },
    address: string
  ): Promise<void> {
    await this.succeed(username, address)
    await this.#perUser.decrement(factorKey(id))
  }

  /** Returns the seconds that an address has to wait, for any name; 0 if it is not throttled. */
  async waitOf(address: string): Promise<number> {
    return await this.#perAddress.availableIn(keysOf('', address).address)
  }

  /**
   * Returns the delay of a counted attempt in seconds: one second for each failure of the name, from any address, above
   * the number that has no delay.
   */
  async slowness(username: string): Promise<number> {
    const { quickAttemptsPerName, slowestSeconds } = this.config
    const found = await this.#anywhere.get(keysOf(username, '').anywhere)
    const beyond = (found?.consumed ?? 0) - quickAttemptsPerName
    return Math.min(Math.max(beyond, 0), slowestSeconds)
  }

  /**
   * Waits for the delay of the attempt.
   *
   * @throws QueueFull  when too many other attempts are delayed
   */
  async slowDown(username: string): Promise<void> {
    const seconds = await this.slowness(username)
    if (seconds === 0) return
    if (this.#slowed >= this.config.slowedAtOnce) throw new QueueFull()
    this.#slowed++
    try {
      await sleep(seconds * 1000)
    } finally {
      this.#slowed--
    }
  }

  /**
   * Resets the failures of the name after a successful login. Failures of other names at the address stay counted,
   * because otherwise one known password would allow unlimited guesses at others.
   */
  async succeed(username: string, address: string): Promise<void> {
    const keys = keysOf(username, address)
    await this.#perName.delete(keys.name)
    await this.#perAddress.decrement(keys.address)
    await this.#anywhere.decrement(keys.anywhere)
  }

  /** Reverts the count of an attempt whose password was never compared. */
  async withdraw(username: string, address: string): Promise<void> {
    const keys = keysOf(username, address)
    await this.#perName.decrement(keys.name)
    await this.#perAddress.decrement(keys.address)
    await this.#anywhere.decrement(keys.anywhere)
  }

  get #perName(): Limiter {
    return this.#limiter(this.config.attempts)
  }

  get #perAddress(): Limiter {
    return this.#limiter(this.config.attemptsPerAddress)
  }

  get #perUser(): Limiter {
    return this.#limiter(this.config.quickAttemptsPerName)
  }

  get #anywhere(): Limiter {
    return this.#limiter(NO_LIMIT)
  }

  #limiter(requests: number): Limiter {
    return counters().use({ requests, duration: `${this.config.withinMinutes} mins` })
  }
}

async function consume(limit: Limiter, key: string): Promise<number | undefined> {
  try {
    await limit.consume(key)
    return undefined
  } catch (error) {
    if (!(error instanceof errors.E_TOO_MANY_REQUESTS)) throw error
    return Math.max(1, error.response.availableIn)
  }
}

function factorKey(userId: number): string {
  return `login-factor:${userId}`
}

/**
 * Returns the keys of the counters. Names are encoded and shortened, because a typed name can be too long for a key or
 * not valid Unicode.
 */
function keysOf(username: string, address: string) {
  const name = encodeURIComponent(username.toLowerCase().toWellFormed())
  const network = networkOf(address)
  const short = name.slice(0, 96)
  return {
    name: `login:${short}:${network}`,
    address: `login-address:${network}`,
    anywhere: `login-name:${short}`,
  }
}

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
