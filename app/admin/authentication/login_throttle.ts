import { isIPv4, isIPv6 } from 'node:net'
import limiter from '@adonisjs/limiter/services/main'
import type { AdminConfig } from '../define_config.js'

/**
 * Bounds how often a password can be guessed, for all processes together. Every attempt is counted
 * before the password is looked at, so that many at once count as many; a success clears the count.
 * [B8]
 */
export class LoginThrottle {
  constructor(private readonly config: AdminConfig['login']) {}

  /**
   * Counts an attempt.
   *
   * @returns undefined if it may go on, else the seconds to wait
   */
  async attempt(username: string, address: string): Promise<number | undefined> {
    const key = keyOf(username, address)
    try {
      await this.#limiter.consume(key)
      return undefined
    } catch (error) {
      if ((error as { code?: string }).code !== 'E_TOO_MANY_REQUESTS') throw error
      return Math.max(1, await this.#limiter.availableIn(key))
    }
  }

  async clear(username: string, address: string): Promise<void> {
    await this.#limiter.delete(keyOf(username, address))
  }

  get #limiter() {
    return limiter.use({
      requests: this.config.attempts,
      duration: `${this.config.withinMinutes} mins`,
    })
  }
}

/** A name that can't be one must not make a key that can't be stored, or not even be written. */
function keyOf(username: string, address: string): string {
  const name = encodeURIComponent(username.toLowerCase().toWellFormed())
  return `login:${name.slice(0, 96)}:${networkOf(address)}`
}

/** Who has one IPv6 address has 2^64 of them: their network counts. What is no address is nobody's. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return 'unknown'
  const [start, end = ''] = plain.split('%', 1)[0].split('::')
  const groups = start.split(':').filter(Boolean)
  const last = end.split(':').filter(Boolean)
  const missing = plain.includes('::') ? 8 - groups.length - last.length : 0
  return [...groups, ...Array(missing).fill('0'), ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
