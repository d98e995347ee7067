import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type Limiter } from '@adonisjs/limiter'
import limiter from '@adonisjs/limiter/services/main'
import { networkOf } from '#crud/http/network'
import type { AdminConfig } from '../../define_config.js'
import { QueueFull } from './work_queue.js'

/* The store counts a name from all addresses without ever refusing it. */
const NO_LIMIT = 1_000_000_000

/**
 * Bounds how often a password can be guessed, for all processes together: for a name from an address,
 * and for all names from an address. Failures of a name from many addresses make it slow, and lock nobody
 * out. Every attempt is counted before the password is looked at, so
 * that many at once count as many; only failures stay counted. [B8]
 */
export class LoginThrottle {
  #slowed = 0

  constructor(
    private readonly config: Pick<
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
   * @returns undefined if it may go on, else the seconds to wait
   */
  async attempt(username: string, address: string): Promise<number | undefined> {
    const keys = keysOf(username, address)
    /* What is refused is not counted, for nobody else at the address shall wait for it. */
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
   * How many seconds an address has to wait, whatever the name; 0 if it need not.
   */
  async waitOf(address: string): Promise<number> {
    return await this.#perAddress.availableIn(keysOf('', address).address)
  }

  /**
   * Seconds by which a counted attempt is to be held up: one more for each failure of the name from any
   * address, beyond those that are quick.
   */
  async slowness(username: string): Promise<number> {
    const { quickAttemptsPerName, slowestSeconds } = this.config
    const found = await this.#anywhere.get(keysOf(username, '').anywhere)
    const beyond = (found?.consumed ?? 0) - quickAttemptsPerName
    return Math.min(Math.max(beyond, 0), slowestSeconds)
  }

  /**
   * Holds an attempt up for as long.
   *
   * @throws QueueFull  when too many others are held up
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
   * Forgets the failures of the name, as its owner has come in. Those of other names stay, or whoever
   * has a password could guess at all others without end.
   */
  async succeed(username: string, address: string): Promise<void> {
    const keys = keysOf(username, address)
    await this.#perName.delete(keys.name)
    await this.#perAddress.decrement(keys.address)
    await this.#anywhere.decrement(keys.anywhere)
  }

  /**
   * Takes an attempt back whose password was never looked at.
   */
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

  get #anywhere(): Limiter {
    return this.#limiter(NO_LIMIT)
  }

  #limiter(requests: number): Limiter {
    return limiter.use({ requests, duration: `${this.config.withinMinutes} mins` })
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

/** A name that can't be one must not make a key that can't be stored, or not even be written. */
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
