import { Exception } from '@adonisjs/core/exceptions'
import logger from '@adonisjs/core/services/logger'
import { Problem } from '#crud'
import { unavailability } from '#crud/database/unavailable'
import type { FieldError } from '#crud/http/problem'
import type { AdminSite } from '../../admin_site.js'
import type { FormField } from '../fields/form_field.js'
import { isForbidden } from './refusals.js'

/**
 * Fields that the schema does not take as they are. [S38, S47]
 */
export class InvalidForm extends Error {
  constructor(readonly errors: readonly FieldError[]) {
    super('The form has fields that are not valid')
  }
}

/**
 * What a form says about why it was not stored. [S38, S39, S47]
 */
export interface FormFailure {
  error: string
  /** Message by wire name */
  fieldErrors: Record<string, string>
}

/**
 * Puts a failure into words: never SQL, nor what only programmers understand. [B19]
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

/** What a hook or another extension threw to be read; drivers' errors have a code and SQL. */
function isForPeople(error: unknown): error is Error {
  if (error instanceof Exception) return error.status < 500
  if (unavailability(error)) return false
  return error instanceof Error && error.constructor === Error && !('code' in error)
}

/** Of each field the first; a fault in a part of it (`tags.0`) is the field's. */
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
