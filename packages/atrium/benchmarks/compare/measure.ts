import { putLoad, type Load } from '../helpers/load.js'
import type { Entrant } from './entrants.js'
import { PRODUCTS, type Operation } from './operations.js'
import { translated } from './same_responses.js'

/*
 * Requests after which the code gets little faster, and maximum number of warm-ups to reach them. The application
 * takes 12,000 until V8 has compiled all of a read, and its first 3,000 cost three times as much; a route of prepared
 * statements takes 1,500.
 */
const WARM = 15_000
const MOST_WARM_UPS = 10

/** Measurement of one contender in one round. */
export interface Turn {
  contender: string
  round: number
  /** CPU milliseconds of the server per request, user and system */
  cpu: number
  perSecond: number
  /** 99th percentile of the response time in milliseconds */
  p99: number
}

export interface MeasureOptions {
  rounds: number
  seconds: number
  warmUp: number
  connections: number
}

/**
 * Runs an operation on the contenders in turn, round by round, so that all meet the same
 * conditions; the order changes.
 */
export async function measure(
  operation: Operation,
  entrants: readonly Entrant[],
  { rounds, seconds, warmUp, connections }: MeasureOptions
): Promise<Turn[]> {
  const taking = entrants.filter(({ contender }) => contender.operations.includes(operation.name))
  if (warmUp > 0) {
    for (const entrant of taking) await warm(operation, entrant, warmUp, connections)
  }
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round++) {
    const first = round % taking.length
    for (const entrant of [...taking.slice(first), ...taking.slice(0, first)]) {
      const turn = await take(operation, entrant, seconds, connections)
      turns.push({ ...turn, contender: entrant.contender.name, round })
    }
  }
  return turns
}

/** Sends requests to a contender until its code is compiled: a slow one needs more time. */
export async function warm(
  operation: Operation,
  entrant: Entrant,
  seconds: number,
  connections: number
): Promise<void> {
  let responded = 0
  for (let time = 0; time < MOST_WARM_UPS && responded < WARM; time++) {
    const load = loadOf(operation, entrant, seconds, connections)
    const result = await putLoad(load)
    responded += result.responded
    if (!operation.isRead) await entrant.database.shrink(PRODUCTS)
  }
}

async function take(operation: Operation, entrant: Entrant, seconds: number, connections: number) {
  const { server, database } = entrant
  const load = loadOf(operation, entrant, seconds, connections)
  const before = await server.usage()
  const { responded: responded, perSecond, p99 } = await putLoad(load)
  const after = await server.usage()
  /* The next turn must start with the same number of rows. */
  if (!operation.isRead) await database.shrink(PRODUCTS)
  return { cpu: (after.cpu - before.cpu) / 1000 / responded, perSecond, p99 }
}

export function loadOf(
  { name, requests }: Operation,
  { contender, server, cookie }: Entrant,
  seconds: number,
  connections: number
): Load {
  return {
    name: contender.name,
    origin: server.origin,
    requests: requests.map((request) => {
      const { headers, ...rest } = translated(contender, name, request)
      return {
        ...rest,
        headers: { ...headers, ...(name === 'admin list page' && { cookie: cookie! }) },
      }
    }),
    connections,
    seconds,
  }
}
