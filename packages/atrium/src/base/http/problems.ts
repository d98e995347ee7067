/*
 * All problems of the generated endpoints, with their texts; those about access are in `access_problems.ts`. Errors of
 * single fields come from `base/values/to_attribute.ts` and VineJS.
 */
import type { Unavailability } from '../database/unavailable.js'
import { listed, Problem, type BatchError, type FieldError } from '../errors.js'

/** 404 for a missing item */
export const itemNotFound = () => new Problem(404, 'Item not found')

export const noEndpoint = () => new Problem(404, NO_ENDPOINT)

/** 404 for an endpoint that the caller is not allowed to know about */
export const withheldEndpoint = () => new Problem(404, NO_ENDPOINT, { refusal: 'permission' })

const NO_ENDPOINT = 'There is no such endpoint'

/** 405 for a path without an endpoint for the method */
export const methodNotAllowed = (allowed: string[]) =>
  new Problem(405, `This path allows ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })

/** 422 for invalid fields of a body */
export const invalidBody = (errors: FieldError[]) =>
  new Problem(422, 'The body has fields that are not valid', { errors })

export const malformedJson = (reason: string) =>
  new Problem(400, `The body is not valid JSON: ${reason}`)

export const bodyIsNoObject = () => new Problem(422, 'The body must be a JSON object')

export const tooDeep = (depth: number) =>
  new Problem(400, `The body nests more than ${depth} levels deep`)

export const integerTooLong = (digits: number) =>
  new Problem(400, `The body has an integer of more than ${digits} digits`)

export const bodyTooLarge = (limit: number) =>
  new Problem(413, `The body is larger than ${limit} bytes`, {
    /* Closes the connection, so that the rest of the body does not have to be received. */
    headers: { connection: 'close' },
  })

export const bodyCutOff = () => new Problem(400, 'The body ended before it was complete')

/** 406 for an `Accept` header with none of the media types that can be sent */
export const notAcceptable = (types: readonly string[]) =>
  new Problem(406, `The response can be ${listed([...types])}, which Accept excludes`)

export const unsupportedType = () =>
  new Problem(
    415,
    'The body must be application/json in UTF-8 (for PATCH also application/merge-patch+json), or application/x-www-form-urlencoded'
  )

export const unsupportedEncoding = () =>
  new Problem(415, 'The body must be sent as it is, or with Content-Encoding gzip, deflate or br')

export const brokenEncoding = () => new Problem(400, 'The body does not match its Content-Encoding')

/** 422 for an invalid key in the path */
export const invalidId = (value: string) =>
  new Problem(422, `"${value}" can't be an id of this resource`)

/** 422 for an invalid query parameter */
export const invalidParameter = (field: string, rule: string, message: string) =>
  new Problem(422, `The parameter ${field} is not valid: it ${message}`, {
    errors: [{ field, rule, message: `The ${field} parameter ${message}` }],
  })

/**
 * Called with the error of a parameter, in the words of `invalidParameter`. Unless it throws, the parameter is treated
 * as missing.
 */
export type Invalid = (field: string, rule: string, message: string) => void

/** Throws the problem of an invalid parameter, as the API does. */
export const refuseInvalid: Invalid = (...invalid) => {
  throw invalidParameter(...invalid)
}

/** 422 for an upsert without a value of its key */
export const needsValue = (field: string) =>
  new Problem(422, `The field ${field} finds the item, and needs a valid value`, {
    errors: [{ field, rule: 'required', message: `The ${field} field must have a valid value` }],
  })

/** 428 for a write of all records that match, without their expected number */
export const needsMaxAffected = () =>
  new Problem(
    428,
    'Send Prefer: max-affected=N, the number of items that may be written at most; if more match, nothing is written'
  )

/** 412 for a write of more records than the caller expects */
export const tooManyMatch = (count: number, most: number) =>
  new Problem(
    412,
    `${count} ${count === 1 ? 'item matches' : 'items match'}, and at most ${most} may be written; nothing was written`
  )

/** 422 for a call on all records that match, without a filter */
export const missingFilter = () =>
  new Problem(422, 'A filter is needed: without one, every record would match')

/** 400 for paging parameters that cannot be combined */
export const conflictingParameters = () =>
  new Problem(
    400,
    'Conflicting parameters: page and itemsPerPage do not go together with offset and limit'
  )

/** 400 for a parameter that cannot be combined with `cursor` */
export const conflictsWithCursor = (name: string) =>
  new Problem(400, `Conflicting parameters: cursor goes with limit, not with ${name}`)

/** 422 for a cursor of another list */
export const invalidCursor = () =>
  invalidParameter(
    'cursor',
    'cursor',
    'must be the next_cursor of this list with the same sort and filters, or empty to begin'
  )

/** 422 for a value that is too long for a cursor */
export const cursorTooLong = (fields: string[]) =>
  invalidParameter(
    'cursor',
    'size',
    `can not hold a value as long as one of ${fields.length > 0 ? fields.join(', ') : 'the key'}; sort by something else, or read the list by page`
  )

/** 422 for an aggregation of more records than are authorized one by one */
export const tooManyToAuthorize = (most: number) =>
  new Problem(
    422,
    `The policy decides about each record, and more than ${most} match. Narrow the filters.`
  )

/** 422 for a comparison of more values than are compared in memory */
export const tooManyValues = (most: number) =>
  new Problem(422, `The columns have more than ${most} different values. Narrow the filters.`)

/** 422 for a parameter that cannot be combined with an export format */
export const conflictsWithFormat = (name: string, type: string) =>
  invalidParameter(
    name,
    'format',
    `can not be used with Accept: ${type}, which returns all matching items, or the first limit=N`
  )

/** 422 for an include with too many items */
export const tooMuchIncluded = (name: string, most: number) =>
  invalidParameter(
    'include',
    'size',
    `would embed more than ${most} items of ${name} in one response; request fewer items, or ${name} without the items they belong to`
  )

/** 422 for an unknown parameter, with the most similar known name */
export const unknownParameter = (name: string, nearest: string | undefined) =>
  new Problem(
    422,
    `There is no parameter "${name}"` + (nearest ? `; did you mean "${nearest}"?` : ''),
    {
      errors: [
        {
          field: name,
          rule: 'unknown',
          message: `The ${name} parameter is not known`,
        },
      ],
    }
  )

/** 400 for a malformed header */
export const malformedHeader = (name: string, reason: string) =>
  new Problem(400, `The header ${name} is malformed: ${reason}`)

/** 412 for a precondition that is not met */
export const preconditionFailed = (name: string) =>
  new Problem(412, `The item is not as ${name} says: it may have been changed in the meantime`)

/** 422 for a key that was already used with another body */
export const keyReused = () =>
  new Problem(422, 'This Idempotency-Key came with another body before; use a new key')

export const stillRunning = () =>
  new Problem(409, 'Another request with this Idempotency-Key is still running; try again', {
    headers: { 'retry-after': '1' },
  })

export const keysUnsupported = () =>
  new Problem(501, 'Idempotency-Key is not supported here; send the request without it')

/** 422 for a batch with too many operations */
export const tooManyOperations = (most: number, count: number) =>
  new Problem(422, `A batch has ${most} operations at most, and this one has ${count}`)

export const invalidBatch = (errors: BatchError[]) =>
  new Problem(422, 'Operations of the batch are not valid; nothing was written', { errors })

/**
 * The problem of a batch in which some operations are refused
 *
 * @param problem  problem of a single request for the same operation
 */
export const batchRefused = (problem: Problem, errors: BatchError[]) =>
  new Problem(problem.status, `${problem.message}; nothing was written`, {
    errors,
    headers: problem.headers,
  })

export const batchPrecondition = () =>
  new Problem(
    400,
    'If-Match and If-None-Match are about one item, and not for several; send its update or deletion by itself'
  )

export const batchResponseTooLarge = (limit: number) =>
  new Problem(
    413,
    `The response would be larger than ${limit} bytes, so nothing was written; send Prefer: return=minimal, or fewer operations`
  )

/** 400 for an invalid percent encoding */
export const malformedUrl = () => new Problem(400, 'The URL has an invalid percent encoding')

export const headersTooLarge = () => new Problem(431, 'The headers are too large')

export const requestTimeout = () => new Problem(408, 'The request took too long to arrive')

/** 421 for a host name that is not served. The detail does not repeat the host name, which the caller chose. */
export const misdirected = () =>
  new Problem(
    421,
    'This server does not serve the host name of the request, but only the host of APP_URL and those of APP_HOSTS'
  )

export const unknownExpectation = () =>
  new Problem(417, 'The only expectation that can be met is 100-continue')

export const malformedRequest = () => new Problem(400, 'The request is not valid HTTP')

/** 409 for a duplicate value; `value` is undefined if it must not be shown */
export const alreadyRegistered = (value: string | undefined, fields: string[]) =>
  new Problem(409, `${value === undefined ? 'Value' : `Value ${value}`} is already registered`, {
    errors: fields.map((field) => ({
      field,
      rule: 'unique',
      message: `The ${field} field has a value that is already registered`,
    })),
  })

/**
 * 409 for a duplicate of a value that a deleted item has
 *
 * @param deleted  key of the deleted item, by API names
 */
export const registeredByDeleted = (
  { errors, message }: Problem,
  deleted: Record<string, unknown>
) =>
  new Problem(409, `${message}, by a deleted item: restore that one, or delete it for good`, {
    errors,
    deleted,
  })

export const missingReference = (fields: string[]) =>
  new Problem(409, 'The item refers to another one that does not exist', {
    errors: fields.map((field) => ({
      field,
      rule: 'foreign_key',
      message: `The ${field} field refers to an item that does not exist`,
    })),
  })

export const stillReferredTo = () => new Problem(409, 'Other items still refer to this one')

export const storageRefused = (errors: FieldError[]) =>
  new Problem(422, 'The item breaks a rule of the database', { errors })

/**
 * 422 for a write that code of the database refused
 *
 * @param message  message of a trigger, rule or procedure of the database
 */
export const refusedByDatabase = (message: string) =>
  new Problem(422, message === '' ? 'The database refused to store this' : message)

/** 409 for a write that a trigger or a rule of the database has skipped */
export const nothingStored = () =>
  new Problem(409, 'The database skipped this write, so nothing was changed')

export const isReadOnly = (reason: 'view' | 'keyless') =>
  new Problem(405, READ_ONLY[reason], { headers: { allow: 'GET, HEAD' } })

const READ_ONLY = {
  view: 'This is a view of the database, whose records can only be read',
  keyless: 'This table of the database has no unique key, so its records can only be read',
}

/** 422 for a change of a value that the model's transitions do not allow */
export const invalidTransition = (
  field: string,
  from: string,
  to: string | null,
  next: readonly string[]
) =>
  invalidBody([
    {
      field,
      rule: 'transition',
      message:
        `The ${field} field cannot change from ${from} to ${to ?? 'null'}: ` +
        (next.length > 0 ? `${listed(next)} can follow` : 'nothing can follow'),
    },
  ])

/** 413 for a response that exceeds the limit */
export const responseTooLarge = (limit: number) =>
  new Problem(
    413,
    `The response would be larger than ${limit} bytes; request fewer items with limit or itemsPerPage, for fewer fields with fields, or include less`
  )

export const tooManyResponses = () =>
  new Problem(503, 'Too many large responses are being sent; try again', {
    headers: { 'retry-after': '2' },
  })

export const exportIsSent = () =>
  new Problem(503, 'Another export is being sent to you; try again when it is complete', {
    headers: { 'retry-after': '5' },
  })

/** 503 for a database that is temporarily unavailable */
export const unavailable = (reason: Unavailability) => {
  const [detail, seconds] = UNAVAILABLE[reason]
  return new Problem(503, detail, { headers: { 'retry-after': seconds } })
}

const UNAVAILABLE: Record<Unavailability, [detail: string, seconds: string]> = {
  busy: ['The database is busy; try again', '1'],
  away: ['The database can not be reached; try again', '5'],
  full: ['The disk of the database is full; try again later', '60'],
}

export const internalError = () => new Problem(500, 'The server made a mistake; it was logged')
