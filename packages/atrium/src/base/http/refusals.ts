import type { HttpContext } from '@adonisjs/core/http'
import { RequestValue } from './request_value.js'

/** Why a refused request was refused. */
export interface Refusal {
  status: RefusalStatus
  /** One word for the log, as in `ability`; undefined for a 404 of which only a look at the record can tell the reason */
  reason?: string
}

type RefusalStatus = keyof typeof REASONS

/* Of errors that name none */
const REASONS = { 401: 'not_authenticated', 403: 'permission', 404: undefined, 429: 'throttled' }

type Observer = (ctx: HttpContext, refusal: Refusal) => void

const NOTED = new RequestValue<boolean>('refusal noted')

let observer: Observer | undefined

/**
 * Registers who receives refused requests, each once.
 *
 * @returns a function that ends it
 */
export function observeRefusals(receive: Observer): () => void {
  observer = receive
  return () => {
    if (observer === receive) observer = undefined
  }
}

/**
 * Logs a request of the application's own routes that was refused: 401, 403, 404 and 429. Every other status is ignored,
 * and a second call for the same request.
 *
 * @param error  its status, and as `refusal` the reason in one word; null: it is part of an ordinary exchange, such as
 *   the question for a second factor
 */
export function noteRefusal(
  ctx: HttpContext,
  { status, refusal }: { status?: number; refusal?: string | null }
): void {
  if (!observer || !isRefusal(status) || NOTED.get(ctx)) return
  leaveRefusal(ctx)
  if (refusal !== null) observer(ctx, { status, reason: refusal ?? REASONS[status] })
}

/** Passes no refusal of this request on: it is logged by an event of its own, or is part of an ordinary exchange. */
export function leaveRefusal(ctx: HttpContext): void {
  NOTED.set(ctx, true)
}

function isRefusal(status: number | undefined): status is RefusalStatus {
  return status !== undefined && status in REASONS
}
