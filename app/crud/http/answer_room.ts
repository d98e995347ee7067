import { getHeapStatistics } from 'node:v8'
import type { HttpContext } from '@adonisjs/core/http'
import { answerTooLarge, tooManyAnswers } from './problems.js'
import { crudConfig } from '../settings.js'

/** How long, in milliseconds, an answer waits for others to go out, and how many may wait at once */
const PATIENCE = 1500
const MOST_WAITING = 50

/** Even small lists are refused when all answers together have so many times what they may have. */
const FULL = 2

/** Answers below, in bytes, are not worth being counted: nearly all are. */
export const SMALL_ANSWER = 64 * 1024

/* Rows, items and JSON of an answer lie in memory beside each other, so that its values may take a part alone. */
const SHARE_OF_HEAP = 0.25

/** Bytes; a process keeps what it was started with */
const HEAP = getHeapStatistics().heap_size_limit

/**
 * Bytes that one answer and all answers together may have: as `limits` of `config/crud.ts` says, and never
 * more than a quarter of the heap that this process was given. [A29]
 */
export function answerLimits(heap: number = HEAP): { answer: number; answers: number } {
  const { answer, answers } = crudConfig().limits
  const most = Math.floor(heap * SHARE_OF_HEAP)
  return { answer: Math.min(answer, most), answers: Math.min(answers, most) }
}

/** Bytes of all answers of this process that are being read, written or sent */
let inFlight = 0

/** Those that wait, the first one first; each is told when there may be room */
const waiting: Array<() => void> = []

/**
 * What one answer takes of the memory that all answers share: the bytes of its values, from before they
 * are read until it is sent. So neither one answer nor many at once can fill the memory, whoever asks. [A29]
 */
export class AnswerRoom {
  #taken = 0
  #isReleased = false

  /**
   * @param releaseLater  called once, when the first bytes are taken: has `release` called when the
   *   answer is out
   */
  constructor(private readonly releaseLater?: (release: () => void) => void) {}

  /** Bytes */
  get taken(): number {
    return this.#taken
  }

  /**
   * Takes room for bytes that are about to be read, and waits a moment for it if others have it.
   *
   * @throws Problem 413  when the answer would be larger than any may be
   * @throws Problem 503  when there is no room in time
   */
  async take(bytes: number): Promise<void> {
    const { answer, answers } = answerLimits()
    if (this.#taken + bytes > answer) throw answerTooLarge(answer)
    const end = performance.now() + PATIENCE
    while (inFlight > 0 && inFlight + bytes > answers) {
      const left = end - performance.now()
      if (left <= 0 || waiting.length >= MOST_WAITING) throw tooManyAnswers()
      await nextRelease(left)
    }
    this.#add(bytes)
  }

  /**
   * Counts what is there already, if it is more than was taken.
   *
   * @param bytes  of the whole answer
   */
  hold(bytes: number): void {
    if (bytes > this.#taken) this.#add(bytes - this.#taken)
  }

  /**
   * Gives everything back. What is taken afterwards is no longer counted.
   */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    inFlight -= this.#taken
    for (const goOn of waiting.splice(0)) goOn()
  }

  /**
   * Runs the work with a room of its own, as what an answer may hold is asked of each list: own code may
   * read one after the other, and keep none. What it took counts until this one's answer is out.
   */
  async forList<Result>(work: (room: AnswerRoom) => Promise<Result>): Promise<Result> {
    const room = new AnswerRoom()
    try {
      if (inFlight > FULL * answerLimits().answers) throw tooManyAnswers()
      const result = await work(room)
      this.hold(room.taken)
      return result
    } finally {
      room.release()
    }
  }

  #add(bytes: number): void {
    if (this.#isReleased || bytes === 0) return
    const isFirst = this.#taken === 0
    this.#taken += bytes
    inFlight += bytes
    if (isFirst) this.releaseLater?.(() => this.release())
  }
}

/**
 * Bytes that answers have of the memory at the moment.
 */
export function bytesInFlight(): number {
  return inFlight
}

/* A request's room is mostly never used, so that nothing is registered on its answer before. */
const ROOMS = new WeakMap<HttpContext, AnswerRoom>()

/**
 * The room of the answer to a request, given back when the answer is out or its connection is gone.
 */
export function roomOf(ctx: HttpContext): AnswerRoom {
  let room = ROOMS.get(ctx)
  if (!room) {
    room = new AnswerRoom((release) => {
      const { response } = ctx.response
      if (response.closed) release()
      else response.once('close', release)
    })
    ROOMS.set(ctx, room)
  }
  return room
}

/** Resolves when somebody has given room back, or after so many milliseconds. */
function nextRelease(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(goOn), 1)
      resolve()
    }, milliseconds)
    waiting.push(goOn)
  })
}
