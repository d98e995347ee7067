/* Counts what code registers on transactions of Lucid's. */
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * @returns the most listeners and hooks that a single transaction of the work was given
 */
export async function mostListeners(work: () => Promise<unknown>): Promise<number> {
  const known = await db.transaction()
  const prototype = Object.getPrototypeOf(known)
  await known.rollback()
  const counts = new Map<TransactionClientContract, number>()
  const methods = ['on', 'once', 'after'] as const
  const own = new Map(
    methods.map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)])
  )
  for (const name of methods) {
    const usual = prototype[name]
    prototype[name] = function (...args: unknown[]) {
      counts.set(this, (counts.get(this) ?? 0) + 1)
      return usual.apply(this, args)
    }
  }
  try {
    await work()
  } finally {
    for (const [name, descriptor] of own) {
      delete prototype[name]
      if (descriptor) Object.defineProperty(prototype, name, descriptor)
    }
  }
  return Math.max(0, ...counts.values())
}
