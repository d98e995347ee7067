import { spawnSync } from 'node:child_process'
import { loadByAutocannon } from './load_autocannon.js'
import { loadByWrk } from './load_wrk.js'

/** Placeholder in a request's body: each request that is sent has another number there, with as many digits */
export const ONCE = '00000000'

/** The first of the numbers: later loads don't repeat those of earlier ones. */
export function firstNumber(): number {
  return Date.now() % 10 ** ONCE.length
}

export interface LoadRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Requests sent repeatedly over several connections for a given time. */
export interface Load {
  /** Name of the server */
  name: string
  origin: string
  requests: readonly LoadRequest[]
  connections: number
  seconds: number
}

export interface LoadResult {
  /** Number of responses */
  responded: number
  /** Number of unsuccessful or missing responses */
  failed: number
  perSecond: number
  /** 99th percentile of the response time in milliseconds */
  p99: number
}

let wrk: boolean | undefined

/** Available load generator: `wrk`, which needs little CPU time itself, else autocannon. */
export function loadGenerator(): 'wrk' | 'autocannon' {
  wrk ??= !spawnSync('wrk', ['--version']).error
  return wrk ? 'wrk' : 'autocannon'
}

/**
 * Runs load against a server.
 *
 * @throws Error  for an unsuccessful response
 */
export async function putLoad(load: Load): Promise<LoadResult> {
  const result = await (loadGenerator() === 'wrk' ? loadByWrk(load) : loadByAutocannon(load))
  if (result.failed > 0) {
    const { method, path } = load.requests[0]
    throw new Error(
      `${result.failed} of ${result.responded} requests to "${load.name}" like ${method} ${path} failed under load`
    )
  }
  return result
}
