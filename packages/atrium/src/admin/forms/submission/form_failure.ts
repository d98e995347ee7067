import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import { Problem } from '#crud'
import { toProblem } from '#base/http/send_problem'
import { unavailability } from '#base/database/unavailable'
import type { FieldError } from '#base/errors'
import type { Site } from '../../views/site.js'
import type { FormField } from '../fields/form_field.js'
import { InvalidForm, RefusedRows, type RowErrors } from '../errors.js'

/** Returns true for errors with status 403: the operation is refused, regardless of the submitted values. */
export function isForbidden(error: unknown): boolean {
  return hasStatus(error, 403)
}

/** Returns true for errors with status 404: the record does not exist. */
export function isMissing(error: unknown): boolean {
  return hasStatus(error, 404)
}

function hasStatus(error: unknown, status: number): boolean {
  return (error as { status?: unknown } | undefined)?.status === status
}

/** Messages of a form that was not saved. */
export interface FormFailure {
  error: string
  /** Messages by API name */
  fieldErrors: Record<string, string>
  /** Errors of inline rows */
  rows?: RowErrors
  /** Key of a soft-deleted record that has the same unique value, by API name */
  deleted?: Record<string, unknown>
}

/** Converts an error to messages for users, without SQL or internals. */
export function failureOf(site: Site, fields: readonly FormField[], error: unknown): FormFailure {
  if (error instanceof InvalidForm) {
    const fieldErrors = byField(site, fields, error.errors)
    return { error: site.text(headingOf(error)), fieldErrors, rows: error.rows }
  }
  if (isForbidden(error)) return { error: site.text('form.refused'), fieldErrors: {} }
  if (error instanceof Problem) {
    const { deleted, errors = [], message } = error
    return { error: message, fieldErrors: byField(site, fields, errors), deleted }
  }
  if (isForPeople(error)) return { error: error.message, fieldErrors: {} }
  if (unavailability(error)) return { error: toProblem(error).message, fieldErrors: {} }
  logger.error({ err: error }, 'A form could not be stored')
  return { error: site.text('form.failed'), fieldErrors: {} }
}

function headingOf({ status }: InvalidForm): string {
  if (status === 409) return 'inlines.conflict'
  return status === 403 ? 'form.refused' : 'form.invalid'
}

/**
 * Sets the status of a form that was not saved: 403 for missing permissions, 409 for rows that other users have
 * changed, and 503 with `Retry-After` if the database is overloaded or out of space.
 *
 * @param usual  status of any other failure
 */
export function setFailureStatus(
  { response }: HttpContext,
  error: unknown,
  usual: 400 | 422
): void {
  const { status, headers } = toProblem(error)
  if (status === 503) {
    for (const [name, value] of Object.entries(headers)) response.header(name, value)
    response.status(503)
  } else if (error instanceof RefusedRows) response.status(error.status)
  else response.status(isForbidden(error) ? 403 : usual)
}

/**
 * Returns true for errors that a hook or other extension throws for users. Driver errors are excluded, as they have a
 * code and SQL.
 */
export function isForPeople(error: unknown): error is Error {
  if (error instanceof Exception) return error.status < 500
  if (unavailability(error)) return false
  return error instanceof Error && error.constructor === Error && !('code' in error)
}

/* End of the messages about invalid dates, of the engine and, for fields without a column, of VineJS */
const NO_DATE = / must be a (?:datetime value|date as YYYY-MM-DD)$/

/** Returns the first message of each field. An error in a part of a field (`tags.0`) belongs to the field. */
function byField(
  site: Site,
  fields: readonly FormField[],
  errors: readonly FieldError[]
): Record<string, string> {
  const messages = new Map<string, string>()
  for (const { field: path, rule, message } of errors) {
    const name = path.split('.', 1)[0]
    if (messages.has(name)) continue
    const field = fields.find((one) => one.name === name)
    const label = field?.label ?? name
    if (rule === 'required' && path === name) {
      messages.set(name, site.text('form.required', { label }))
    } else if (rule === 'date' && field?.valueType === 'date' && NO_DATE.test(message)) {
      messages.set(name, site.text('form.noDate', { label }))
    } else {
      messages.set(
        name,
        inPart(
          path,
          message.replace(`The ${path} field`, () => label)
        )
      )
    }
  }
  return Object.fromEntries(messages)
}

/** Adds the name of the part of a field (`attributes.night`) unless the message contains it. */
function inPart(path: string, message: string): string {
  const part = path.split('.').slice(1).join('.')
  const leaf = path.split('.').at(-1)!
  return part === '' || message.includes(leaf) ? message : `${part}: ${message}`
}
