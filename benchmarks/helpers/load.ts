import { spawnSync } from 'node:child_process'
import { loadByAutocannon } from './load_autocannon.js'
import { loadByWrk } from './load_wrk.js'

export interface LoadRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Requests by so many connections at once, over and over, for so long. */
export interface Load {
  /** Whose server it is put on */
  name: string
  origin: string
  requests: readonly LoadRequest[]
  connections: number
  seconds: number
}

export interface LoadResult {
  /** How many were answered */
  answered: number
  /** Answers that were no success, and requests without an answer */
  failed: number
  perSecond: number
  /** Milliseconds that 99 of 100 answers took at the most */
  p99: number
}

let wrk: boolean | undefined

/**
 * Which load generator there is: `wrk`, which needs little of the processor itself, or autocannon.
 */
export function loadGenerator(): 'wrk' | 'autocannon' {
  wrk ??= !spawnSync('wrk', ['--version']).error
  return wrk ? 'wrk' : 'autocannon'
}

/**
 * Puts load on a server.
 *
 * @throws Error  when an answer was no success
 */
export async function putLoad(load: Load): Promise<LoadResult> {
  const result = await (loadGenerator() === 'wrk' ? loadByWrk(load) : loadByAutocannon(load))
  if (result.failed > 0) {
    const { method, path } = load.requests[0]
    throw new Error(
      `${result.failed} of ${result.answered} requests to "${load.name}" like ${method} ${path} failed under load`
    )
  }
  return result
}
