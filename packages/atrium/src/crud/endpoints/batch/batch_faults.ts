import type { Problem, BatchError, FieldError } from '#base/errors'
import { batchRefused, invalidBatch } from '#base/http/problems'
import { toProblem } from '#base/http/to_problem'
import type { BatchOperation } from '../../operations/operation.js'

/* More are of no use. */
const MOST = 1000

/** Statuses after which the other operations are tried, so that their errors are reported as well */
const COLLECTED = [404, 409, 422]

const RULES: Record<number, string> = { 403: 'forbidden', 404: 'exists', 409: 'conflict' }

/** The errors of a batch's operations, each with its position. [D4] */
export class BatchFaults {
  readonly #errors: BatchError[] = []
  #first: Problem | undefined

  get areAny(): boolean {
    return this.#errors.length > 0
  }

  get areTooMany(): boolean {
    return this.#errors.length >= MOST
  }

  add(operation: BatchOperation, index: number, ...errors: FieldError[]): void {
    for (const error of errors.slice(0, MOST - this.#errors.length)) {
      this.#errors.push({ operation, index, ...error })
    }
  }

  /**
   * Adds the refusal of an operation.
   *
   * @param error  the error that a single request for it would return
   * @throws the error itself if it is not about the data; a refusal, with the position
   */
  addRefusal(operation: BatchOperation, index: number, error: unknown): void {
    const problem = toProblem(error)
    if (problem.status >= 500) throw error
    const told = errorsOf(problem)
    if (!COLLECTED.includes(problem.status)) {
      throw batchRefused(
        problem,
        told.map((one) => ({ operation, index, ...one }))
      )
    }
    this.add(operation, index, ...told)
    this.#first ??= problem
  }

  /**
   * @throws Problem 409  when the first operation that failed was in conflict with the database
   * @throws Problem 422  for any other error
   */
  throwIfAny(): void {
    if (!this.areAny) return
    if (this.#first?.status === 409) throw batchRefused(this.#first, this.#errors)
    throw invalidBatch(this.#errors)
  }
}

/** A problem of the whole operation has no errors of its own. */
function errorsOf({ errors = [], message, status }: Problem): FieldError[] {
  if (errors.length > 0) return errors
  const field = status === 404 ? 'id' : ''
  return [{ field, rule: RULES[status] ?? 'invalid', message }]
}
