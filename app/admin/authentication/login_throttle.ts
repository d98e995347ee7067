import { errors, type Limiter } from '@adonisjs/limiter'
import limiter from '@adonisjs/limiter/services/main'
import { networkOf } from '#crud/http/network'
import type { AdminConfig } from '../define_config.js'

/**
 * Bounds how often a password can be guessed, for all processes together: for a name from an address,
 * and for all names from an address. Every attempt is counted before the password is looked at, so
 * that many at once count as many; only failures stay counted. [B8]
 */
export class LoginThrottle {
  constructor(
    private readonly config: Pick<
      AdminConfig['login'],
      'attempts' | 'withinMinutes' | 'attemptsPerAddress'
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
    return nameWait
  }

  /**
   * How many seconds an address has to wait, whatever the name; 0 if it need not.
   */
  async waitOf(address: string): Promise<number> {
    return await this.#perAddress.availableIn(keysOf('', address).address)
  }

  /**
   * Forgets the failures of the name, as its owner has come in. Those of other names stay, or whoever
   * has a password could guess at all others without end.
   */
  async succeed(username: string, address: string): Promise<void> {
    const keys = keysOf(username, address)
    await this.#perName.delete(keys.name)
    await this.#perAddress.decrement(keys.address)
  }

  /**
   * Takes an attempt back whose password was never looked at.
   */
  async withdraw(username: string, address: string): Promise<void> {
    const keys = keysOf(username, address)
    await this.#perName.decrement(keys.name)
    await this.#perAddress.decrement(keys.address)
  }

  get #perName(): Limiter {
    return this.#limiter(this.config.attempts)
  }

  get #perAddress(): Limiter {
    return this.#limiter(this.config.attemptsPerAddress)
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
  return { name: `login:${name.slice(0, 96)}:${network}`, address: `login-address:${network}` }
}
