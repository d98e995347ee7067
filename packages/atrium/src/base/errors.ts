import { STATUS_CODES } from 'node:http'
import { inspect } from 'node:util'
import { Exception } from '@adonisjs/core/exceptions'
import type { ColumnKind } from './columns/column_kind.js'

/**
 * A configuration that is invalid regardless of the content of the database: an unknown operation, an invalid filter, a
 * schema that does not match its model.
 */
export class ValueError extends Exception {
  static status = 500
  static code = 'E_VALUE'
}

/** The configuration relies on something missing: a database connection, a table, a column. */
export class RuntimeError extends Exception {
  static status = 500
  static code = 'E_RUNTIME'
}

/** All errors that the boot found in the decorated models. */
export class ConfigurationError extends Exception {
  static status = 500
  static code = 'E_CONFIGURATION'

  readonly errors: readonly Error[]

  /**
   * @param errors  the errors, each a ValueError, a TypeError or a RuntimeError; identical errors of several resources
   *   of one table are listed once
   */
  constructor(errors: readonly Error[]) {
    const once = [...new Map(errors.map((error) => [error.message, error])).values()]
    const count = once.length === 1 ? '1 error' : `${once.length} errors`
    const list = once.map((error) => `  - ${error.message.replaceAll('\n', '\n    ')}`)
    super(`The models' configuration has ${count}:\n${list.join('\n')}`)
    this.errors = once
  }
}

/**
 * Runs a startup step. Stacks of configuration errors are removed, because their messages contain the place and the
 * fix: AdonisJS and Node.js print only the message of such an error.
 *
 * @throws the error of the step
 */
export function withoutStack<Result>(step: () => Result): Result {
  try {
    const result = step()
    return result instanceof Promise ? (result.catch(throwWithoutStack) as Result) : result
  } catch (error) {
    throwWithoutStack(error)
  }
}

function throwWithoutStack(error: unknown): never {
  const isOfConfiguration =
    error instanceof ValueError ||
    error instanceof RuntimeError ||
    error instanceof ConfigurationError
  if (isOfConfiguration) {
    error.stack = ''
    Object.defineProperty(error, inspect.custom, { value: () => error.message })
  }
  throw error
}

/** The error of one field of a body or of one parameter. */
export interface FieldError {
  field: string
  rule: string
  message: string
}

/** The error of one operation in a batch: of a field, or of the whole operation (`''`). */
export interface BatchError extends FieldError {
  operation: 'create' | 'update' | 'upsert' | 'delete'
  /** Position in the list of the operation, starting from 0 */
  index: number
}

interface ProblemOptions {
  errors?: FieldError[]
  headers?: Record<string, string>
  /**
   * Reason of a 401, 403, 404 or 429 for the log, as one word; null: not a refusal. Default: derived from the status
   */
  refusal?: string | null
  /** Key of a deleted item that has the same unique value, by API names */
  deleted?: Record<string, unknown>
}

/**
 * An error response in the format of RFC 9457. If it is thrown anywhere in the code of an endpoint, it becomes the
 * response.
 */
export class Problem extends Exception {
  readonly title: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>
  readonly refusal: string | null | undefined
  /** Key of the deleted item that has the same unique value, by API names, for callers who can see it */
  readonly deleted: Record<string, unknown> | undefined

  /**
   * @param status  HTTP status, 400 to 599
   * @param detail  one sentence for the caller, without SQL, table names or file names
   */
  constructor(
    status: number,
    detail: string,
    { deleted, errors, headers, refusal }: ProblemOptions = {}
  ) {
    super(detail, { status, code: 'E_PROBLEM' })
    this.title = STATUS_CODES[status] ?? 'Error'
    this.errors = errors
    this.headers = headers ?? {}
    this.refusal = refusal
    this.deleted = deleted
  }

  /**
   * Returns a 422 for invalid field values, for rules that involve several fields. Forms show each message at its
   * field, imports with its line and column.
   *
   * @param messages  messages by API name of the field; `''` for the item as a whole
   */
  static invalid(messages: Readonly<Record<string, string>>): Problem {
    const errors = Object.entries(messages).map(([field, message]) => ({
      field,
      rule: 'invalid',
      message,
    }))
    return new Problem(422, 'The body has fields that are not valid', { errors })
  }

  /** The body of the response. */
  toJSON() {
    return {
      type: 'about:blank',
      title: this.title,
      status: this.status,
      detail: this.message,
      ...(this.errors && { errors: this.errors }),
      ...(this.deleted && { deleted: this.deleted }),
    }
  }
}

/** Reason why a filter's value cannot be read, with the values that its message contains. */
export type FilterValueError =
  | { reason: 'single' | 'pair' | 'null' | 'nullOrBoolean' | 'nullOrEmpty' | 'text' | 'title' }
  | { reason: 'kind'; kind: ColumnKind; text: string }
  | { reason: 'longest' | 'longestInAll' | 'list' | 'part' | 'letters'; most: number }
  | { reason: 'alternatives'; operators: readonly string[] }
  | { reason: 'missing'; value: null | undefined }

/** A filter's value cannot be read; the message follows "it ...". */
export class UnreadableFilter extends Exception {
  static status = 500
  static code = 'E_UNREADABLE_FILTER'

  constructor(readonly error: FilterValueError) {
    super(filterValueMessage(error))
  }
}

const KINDS: Record<ColumnKind, string> = {
  text: 'text',
  uuid: 'a UUID',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date as YYYY-MM-DD',
  datetime: 'a datetime as YYYY-MM-DD HH:MM:SS',
  time: 'a time as HH:MM:SS',
  json: 'null',
  binary: 'null',
}

/** Returns the reason why a filter's value cannot be read, in words that follow "it ...". */
export function filterValueMessage(error: FilterValueError): string {
  switch (error.reason) {
    case 'single':
      return 'must be a single value'
    case 'pair':
      return 'must be two values with a comma between'
    case 'null':
      return 'must be null'
    case 'nullOrBoolean':
      return 'must be null, true or false'
    case 'nullOrEmpty':
      return 'must be null or empty'
    case 'text':
      return 'must be text'
    case 'title':
      return 'must be a title'
    case 'kind':
      return `must be ${KINDS[error.kind]}, not "${error.text}"`
    case 'longest':
      return `must not be longer than ${error.most} characters`
    case 'longestInAll':
      return `must not be longer than ${error.most} characters in all`
    case 'list':
      return `must not be a list of more than ${error.most}`
    case 'part':
      return `must not have more than ${error.most} characters after a %, other than as %text or %text%`
    case 'letters':
      return `must not have more than ${error.most} different characters`
    case 'alternatives':
      return `must be pairs of operator:value with commas between; operators are ${error.operators.join(', ')}`
    case 'missing':
      return `must not be ${error.value}`
  }
}

/** An integer in JSON has too many digits. */
export class IntegerTooLong extends Exception {
  static status = 500
  static code = 'E_INTEGER_TOO_LONG'
}

/** One of several keys does not belong to any item. */
export class UnknownKey extends Exception {
  static status = 500
  static code = 'E_UNKNOWN_KEY'

  /**
   * @param key  parts of the key
   */
  constructor(readonly key: readonly unknown[]) {
    super(`Item with id ${key.join(', ')} not found`)
  }
}

/** A record has changed since an earlier write. */
export class RecordChangedSince extends Exception {
  static status = 409
  static code = 'E_RECORD_NOT_AS_LEFT'
  static message = 'The record has changed since'

  /**
   * @param key  parts of the key
   */
  constructor(readonly key: readonly unknown[]) {
    super()
  }
}

/** A write was rolled back because it could not be recorded. */
export class WriteNotRecorded extends Exception {
  static status = 500
  static code = 'E_WRITE_NOT_RECORDED'
  static message = 'The write was rolled back, as it could not be logged'
}

/** A command cannot continue. Only the message is printed. */
export class CommandFailure extends Exception {
  static status = 500
  static code = 'E_COMMAND_FAILURE'
}

/** Returns "a, b and c", for messages that list valid values. */
export function listed(names: Iterable<string>): string {
  const all = [...names]
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? 'none')
}

/** Returns an invalid value for a message, in one line. */
export function shown(value: unknown): string {
  return inspect(value, {
    depth: 1,
    breakLength: Infinity,
    compact: true,
    maxArrayLength: 5,
    maxStringLength: 60,
  })
}
