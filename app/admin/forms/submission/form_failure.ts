import { Exception } from '@adonisjs/core/exceptions'
import logger from '@adonisjs/core/services/logger'
import { Problem } from '#crud'
import { unavailability, type FieldError } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import type { FormField } from '../fields/form_field.js'
import { isForbidden } from './refusals.js'
import { InvalidForm } from '../../errors.js'

/**
 * Messages of a form that was not saved. [S38, S39, S47]
 */
export interface FormFailure {
  error: string
  /** Messages by API name */
  fieldErrors: Record<string, string>
}

/**
 * Converts an error to messages for users: never SQL or internals. [B19]
 */
export function failureOf(
  site: AdminSite,
  fields: readonly FormField[],
  error: unknown
): FormFailure {
  if (error instanceof InvalidForm) {
    return { error: site.text('form.invalid'), fieldErrors: byField(site, fields, error.errors) }
  }
  if (isForbidden(error)) return { error: site.text('form.refused'), fieldErrors: {} }
  if (error instanceof Problem) {
    return { error: error.message, fieldErrors: byField(site, fields, error.errors ?? []) }
  }
  if (isForPeople(error)) return { error: error.message, fieldErrors: {} }
  logger.error({ err: error }, 'A form could not be stored')
  return { error: site.text('form.failed'), fieldErrors: {} }
}

/**
 * Returns true for errors that a hook or other extension throws for users; driver errors have a
 * code and SQL.
 */
function isForPeople(error: unknown): error is Error {
  if (error instanceof Exception) return error.status < 500
  if (unavailability(error)) return false
  return error instanceof Error && error.constructor === Error && !('code' in error)
}

/** First message of each field; a fault in a part of a field (`tags.0`) belongs to the field. */
function byField(
  site: AdminSite,
  fields: readonly FormField[],
  errors: readonly FieldError[]
): Record<string, string> {
  const messages: Record<string, string> = {}
  for (const { field: path, rule, message } of errors) {
    const name = path.split('.', 1)[0]
    const label = fields.find((field) => field.name === name)?.label ?? name
    messages[name] ??=
      rule === 'required' && path === name
        ? site.text('form.required', { label })
        : message.replace(`The ${path} field`, () => label)
  }
  return messages
}
