import { STATUS_CODES } from 'node:http'
import { Exception } from '@adonisjs/core/exceptions'

/**
 * What is wrong with one field of a body or one parameter.
 */
export interface FieldError {
  field: string
  rule: string
  message: string
}

interface ProblemOptions {
  errors?: FieldError[]
  headers?: Record<string, string>
}

/**
 * An answer that says what went wrong, as RFC 9457 has it. Thrown anywhere below an endpoint, it
 * becomes the response. [A4]
 */
export class Problem extends Exception {
  readonly title: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  /**
   * @param status  HTTP status, 400 to 599
   * @param detail  one sentence for the caller: no SQL, table or file name
   */
  constructor(status: number, detail: string, { errors, headers }: ProblemOptions = {}) {
    super(detail, { status, code: 'E_PROBLEM' })
    this.title = STATUS_CODES[status] ?? 'Error'
    this.errors = errors
    this.headers = headers ?? {}
  }

  /**
   * The body of the response.
   */
  toJSON() {
    return {
      type: 'about:blank',
      title: this.title,
      status: this.status,
      detail: this.message,
      ...(this.errors && { errors: this.errors }),
    }
  }
}
