import { LimiterManager, stores } from '@adonisjs/limiter'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'

/** Counts logins and requests, apart from a limiter of the application */
export type Counters = LimiterManager<Record<string, LimiterManagerStoreFactory>>

let used: Counters | undefined

/** Counts with this limiter from now on. */
export function useCounters(limiter: Counters): void {
  used = limiter
}

/** A limiter with one store */
export function countersIn(name: string, store: LimiterManagerStoreFactory): Counters {
  return new LimiterManager({ default: name, stores: { [name]: store } })
}

/** Without an admin site, which says where to count, each process has its own counts. */
export function counters(): Counters {
  return (used ??= countersIn('memory', stores.memory({})))
}
