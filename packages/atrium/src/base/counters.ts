import { LimiterManager, stores } from '@adonisjs/limiter'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'

/** Counters of logins and requests, independent of a limiter of the application */
export type Counters = LimiterManager<Record<string, LimiterManagerStoreFactory>>

let used: Counters | undefined

/** Sets the limiter to be used from now on. */
export function useCounters(limiter: Counters): void {
  used = limiter
}

/** Returns a limiter with one store */
export function countersIn(name: string, store: LimiterManagerStoreFactory): Counters {
  return new LimiterManager({ default: name, stores: { [name]: store } })
}

/** Returns the current counters. Without an admin site, which configures a store, each process has separate counts. */
export function counters(): Counters {
  return (used ??= countersIn('memory', stores.memory({})))
}
