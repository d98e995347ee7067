import { putLoad, type Load } from '../helpers/load.js'
import type { Entrant } from './entrants.js'
import { PRODUCTS, type Operation } from './operations.js'
import { translated } from './same_answers.js'

/* Requests after which nothing gets much quicker, and how often the warm-up is repeated for them. */
const WARM = 3000
const MOST_WARM_UPS = 5

/** What a contender needed in one turn. */
export interface Turn {
  contender: string
  round: number
  /** Milliseconds of the processor, user and system, of the server for each request */
  cpu: number
  perSecond: number
  /** Milliseconds */
  p99: number
}

export interface MeasureOptions {
  rounds: number
  seconds: number
  warmUp: number
  connections: number
}

/**
 * Has the contenders do an operation by turns, round by round, so that all of them meet the same
 * machine; who begins changes.
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

/**
 * Puts load on a contender until its code is compiled: a slow one needs more time for as many requests.
 */
export async function warm(
  operation: Operation,
  entrant: Entrant,
  seconds: number,
  connections: number
): Promise<void> {
  let answered = 0
  for (let time = 0; time < MOST_WARM_UPS && answered < WARM; time++) {
    const load = loadOf(operation, entrant, seconds, connections)
    const result = await putLoad(load)
    answered += result.answered
    if (!operation.isRead) await entrant.database.shrink(PRODUCTS)
  }
}

async function take(operation: Operation, entrant: Entrant, seconds: number, connections: number) {
  const { server, database } = entrant
  const load = loadOf(operation, entrant, seconds, connections)
  const before = await server.usage()
  const { answered, perSecond, p99 } = await putLoad(load)
  const after = await server.usage()
  /* The next turn is to find as many rows as this one. */
  if (!operation.isRead) await database.shrink(PRODUCTS)
  return { cpu: (after.cpu - before.cpu) / 1000 / answered, perSecond, p99 }
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
