import type { ServerResponse } from 'node:http'
import type { HttpContext } from '@adonisjs/core/http'
import type { Actor, Item } from '../types.js'
import { idOf } from '../identity.js'
import { networkOf } from './network.js'
import { exportIsSent, tooManyResponses } from './problems.js'

/* Each slot uses a connection until its client has received the export, and lists need connections too. */
const MAX_CONCURRENT = 2

/** Minimum rate: a client that reads slower loses its slot when another caller needs it. Changed by tests */
export const SLOW_READER = {
  bytesPerSecond: 64 * 1024,
  /** Age of an export from which its rate is measured */
  milliseconds: 10_000,
}

interface Place {
  caller: string
  response: ServerResponse
  since: number
  sent: number
}

const places = new Set<Place>()

/**
 * Claims one of the slots for exports that are sent while they are read, shared by the API and the admin site. A caller
 * can have only one slot. If all slots are in use, the slowest reader below the minimum rate loses its slot and its
 * connection. Small exports need no slot: they are read like a list, and sent afterwards.
 *
 * @returns a function that frees the slot; further calls have no effect
 * @throws Problem 503  while the caller has a slot, or all slots are in use
 */
export function takeExportSlot(ctx: HttpContext, actor: Actor): () => void {
  const { response } = ctx.response
  const caller = callerOf(ctx, actor)
  if ([...places].some((place) => place.caller === caller)) throw exportIsSent()
  if (places.size >= MAX_CONCURRENT) endSlowest(ctx)
  const place = { caller, response, since: performance.now(), sent: sentTo(response) }
  places.add(place)
  return () => void places.delete(place)
}

/**
 * Identifies the caller. A user has one slot for all tokens and sessions; callers without an id have one per network.
 * Users of the application can have the same ids as admin users, so ids are qualified.
 */
function callerOf({ request }: HttpContext, { user, token }: Actor): string {
  const id = idOf(user) ?? idOf(token)
  return id ? `user:${id.join(':')}` : `address:${networkOf(request.ip())}`
}

/**
 * Ends the slowest export below the minimum rate.
 *
 * @throws Problem 503  if no client is too slow
 */
function endSlowest({ logger }: HttpContext): void {
  const slow = [...places]
    .map((place) => ({ place, rate: rateOf(place) }))
    .filter(({ rate }) => rate < SLOW_READER.bytesPerSecond)
    .toSorted((one, other) => one.rate - other.rate)
  if (slow.length === 0) throw tooManyResponses()
  const [{ place, rate }] = slow
  logger.warn(
    { caller: place.caller, bytesPerSecond: Math.round(rate) },
    'A client that reads its export too slowly has lost its place to another'
  )
  places.delete(place)
  place.response.destroy()
}

/**
 * Returns the rate in bytes per second; infinite for a client that has not been measured long enough, or waits for the
 * server.
 */
function rateOf({ response, since, sent }: Place): number {
  const milliseconds = performance.now() - since
  const isWaiting = (response.socket?.writableLength ?? 0) === 0
  if (isWaiting || milliseconds < SLOW_READER.milliseconds) return Infinity
  return ((sentTo(response) - sent) * 1000) / milliseconds
}

function sentTo({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0
}

/** Maximum number of records in an export that is read completely before it is sent */
const SMALL_EXPORT = 1000

/** The first batches of a list, and whether there are more. */
export interface FirstBatches {
  batches: Item[][]
  /** True if there are no more batches */
  isWhole: boolean
}

/** Reads the first batches of a list, until they have more records than a small export. */
export async function readFirstBatches(all: AsyncGenerator<Item[], void>): Promise<FirstBatches> {
  const batches: Item[][] = []
  let count = 0
  while (count <= SMALL_EXPORT) {
    const { done, value } = await all.next()
    if (done) return { batches, isWhole: true }
    batches.push(value)
    count += value.length
  }
  return { batches, isWhole: false }
}

/** Yields all batches of a list, beginning with those that were already read. */
export async function* withFirstBatches(
  { batches }: FirstBatches,
  others: AsyncGenerator<Item[], void>
): AsyncGenerator<Item[], void> {
  try {
    yield* batches
    yield* others
  } finally {
    await others.return()
  }
}
