import { getHeapStatistics } from 'node:v8'
import type { HttpContext } from '@adonisjs/core/http'
import { responseTooLarge, tooManyResponses } from '#base/http/problems'
import { crudConfig } from '../settings.js'
import { RequestValue } from '#base/http/request'

/** Maximum number of milliseconds that a response waits for memory, and maximum number of responses that can wait */
const TIMEOUT = 1500
const MOST_WAITING = 50

/** Even small lists are refused when all responses together exceed their limit by this factor. */
const FULL = 2

/** Responses with fewer bytes are not counted, because nearly all responses are smaller. */
export const SMALL_RESPONSE = 64 * 1024

/*
 * The values of a response can use only this share of the heap, because its rows, items and JSON are in memory at the
 * same time.
 */
const SHARE_OF_HEAP = 0.25

/** Heap limit in bytes; fixed when the process starts */
const HEAP = getHeapStatistics().heap_size_limit

/**
 * Returns the maximum number of bytes of one response and of all responses together: the `limits` in `config/crud.ts`,
 * but at most a quarter of the heap of this process.
 */
export function responseLimits(heap: number = HEAP): { response: number; responses: number } {
  const { response, responses } = crudConfig().limits
  const most = Math.floor(heap * SHARE_OF_HEAP)
  return { response: Math.min(response, most), responses: Math.min(responses, most) }
}

/** Bytes of all responses that this process is currently reading, writing or sending */
let inFlight = 0

/** Waiting responses, in order; each is called when memory could be free */
const waiting: Array<() => void> = []

/**
 * Memory budget of one response, taken from the limit for all responses: the bytes of its values are reserved before
 * they are read, and released after the response is sent. This prevents one large response or many concurrent responses
 * from exhausting the memory.
 */
export class ResponseBudget {
  #reserved = 0
  #isReleased = false

  /** @param releaseLater  called once, on the first reservation: must call `release` when the response is sent */
  constructor(private readonly releaseLater?: (release: () => void) => void) {}

  /** Number of reserved bytes */
  get reserved(): number {
    return this.#reserved
  }

  /**
   * Reserves bytes that are about to be read. Waits briefly if other responses use them.
   *
   * @throws Problem 413  when the response would exceed the limit of one response
   * @throws Problem 503  when the memory is not free in time
   */
  async reserve(bytes: number): Promise<void> {
    const { response, responses } = responseLimits()
    if (this.#reserved + bytes > response) throw responseTooLarge(response)
    const end = performance.now() + TIMEOUT
    while (inFlight > 0 && inFlight + bytes > responses) {
      const left = end - performance.now()
      if (left <= 0 || waiting.length >= MOST_WAITING) throw tooManyResponses()
      await nextRelease(left)
    }
    this.#add(bytes)
  }

  /**
   * Raises the reservation to the size of values that are already in memory.
   *
   * @param bytes  size of the whole response
   */
  reserveAtLeast(bytes: number): void {
    if (bytes > this.#reserved) this.#add(bytes - this.#reserved)
  }

  /** Releases the reservation. Later reservations are no longer counted. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    inFlight -= this.#reserved
    for (const resume of waiting.splice(0)) resume()
  }

  /**
   * Runs the work with a budget of its own, so that the limit of one response applies to each list: application code
   * can read one list after another and retain none. Afterwards, this budget keeps the size of the largest list
   * reserved until its release.
   */
  async forList<Result>(work: (budget: ResponseBudget) => Promise<Result>): Promise<Result> {
    const budget = new ResponseBudget()
    try {
      if (inFlight > FULL * responseLimits().responses) throw tooManyResponses()
      const result = await work(budget)
      this.reserveAtLeast(budget.reserved)
      return result
    } finally {
      budget.release()
    }
  }

  #add(bytes: number): void {
    if (this.#isReleased || bytes === 0) return
    const isFirst = this.#reserved === 0
    this.#reserved += bytes
    inFlight += bytes
    if (isFirst) this.releaseLater?.(() => this.release())
  }
}

/** Returns the number of bytes of all responses that are currently in memory. */
export function bytesInFlight(): number {
  return inFlight
}

/* Created on first use: most requests never use their budget, so no listener has to be added to their response. */
const BUDGETS = new RequestValue<ResponseBudget>('response budget')

/**
 * Returns the budget of the response to a request. The budget is released when the response is sent or the connection
 * is closed.
 */
export function responseBudgetOf(ctx: HttpContext): ResponseBudget {
  let budget = BUDGETS.get(ctx)
  if (!budget) {
    budget = new ResponseBudget((release) => {
      const { response } = ctx.response
      if (response.closed) release()
      else response.once('close', release)
    })
    BUDGETS.set(ctx, budget)
  }
  return budget
}

/** Resolves at the next release, or after a number of milliseconds. */
function nextRelease(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const resume = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(resume), 1)
      resolve()
    }, milliseconds)
    waiting.push(resume)
  })
}
