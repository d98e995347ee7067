import { Exception } from '@adonisjs/core/exceptions'
import { Problem } from '#crud'
import type { FieldError } from '#crud/internals'

/**
 * Reasons for a redirect to the login page; its address accepts no other text. [B6]
 */
export const SIGN_IN_REASONS = ['required', 'ended'] as const

export type SignInReason = (typeof SIGN_IN_REASONS)[number]

/**
 * No user is signed in, or the session has ended.
 */
export class SignInRequired extends Exception {
  static status = 401
  static code = 'E_SIGN_IN_REQUIRED'

  constructor(readonly reason: SignInReason) {
    super('Sign in first')
  }
}

/**
 * The request was sent by another site. [B9]
 */
export class CrossSiteRequest extends Exception {
  static status = 403
  static code = 'E_CROSS_SITE'
  static message = 'This was asked for by another site, and was not done'
}

/**
 * The route does not accept the content type of the request's body.
 */
export class UnsupportedBody extends Exception {
  static status = 415
  static code = 'E_UNSUPPORTED_BODY'
  static message = 'This form takes application/x-www-form-urlencoded only'
}

/**
 * The form has more values than any form of the site.
 */
export class TooManyValues extends Exception {
  static status = 413
  static code = 'E_TOO_MANY_VALUES'
  static message = 'The form has more fields or values than are read'
}

/**
 * The page does not exist in the site.
 */
export class PageNotFound extends Exception {
  static status = 404
  static code = 'E_PAGE_NOT_FOUND'
  static message = 'There is no such page'
}

/**
 * The signed-in user is not allowed to do this. [B13]
 */
export class NotAllowed extends Exception {
  static status = 403
  static code = 'E_NOT_ALLOWED'
  static message = 'You may not do this'
}

/**
 * A superuser views the site as a role, and can't write meanwhile. [U6]
 */
export class ViewingAsRole extends Exception {
  static status = 403
  static code = 'E_VIEWING_AS_ROLE'
  static message = 'Nothing can be written while you see the site as a role'
}

/**
 * The record has changed since the form was rendered.
 */
export class RowChanged extends Exception {
  static status = 409
  static code = 'E_ROW_CHANGED'
  static message = 'Another user has changed this record since'

  /**
   * @param values  values of the rejected write, by attribute name
   */
  constructor(readonly values: Record<string, unknown>) {
    super()
  }
}

/**
 * Form fields that the schema rejects. [S38, S47]
 */
export class InvalidForm extends Exception {
  static status = 500
  static code = 'E_INVALID_FORM'

  constructor(readonly errors: readonly FieldError[]) {
    super('The form has fields that are not valid')
  }
}

/**
 * A form text that can't be converted to a value, so that the schema never receives it.
 */
export class UnreadableText extends Exception {
  static status = 500
  static code = 'E_UNREADABLE_TEXT'

  constructor(
    readonly rule: string,
    message: string
  ) {
    super(message)
  }
}

/**
 * A bulk task that changed nothing, with a message of the catalogue. [B19]
 */
export class BulkFailure extends Exception {
  /**
   * @param status  400, 409 or 422
   * @param key     key of the message in the catalogue
   */
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status, code: 'E_BULK' })
  }
}

/**
 * A job that could not be done, with a message of the catalogue for its page. [D1]
 */
export class JobFailure extends Exception {
  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { code: 'E_JOB' })
  }
}

/**
 * The user with whose permissions a job runs was removed.
 */
export class JobOwnerGone extends JobFailure {
  constructor() {
    super('jobs.fault.ownerGone')
  }
}

/**
 * The process of a job is about to end: the rest is left to the next one.
 */
export class JobStopped extends Exception {
  static code = 'E_JOB_STOPPED'
  static message = 'The process is about to end'
}

/**
 * A run that is not its job's present one: it was cancelled, or another process took it over.
 */
export class JobSuperseded extends Exception {
  static code = 'E_JOB_SUPERSEDED'
  static message = 'The job was cancelled, or another process does it'
}

/** Value of `Retry-After`, in seconds */
export const TRY_AGAIN_IN = 5

/**
 * The queue of waiting work is full.
 */
export class QueueFull extends Problem {
  constructor() {
    super(503, 'Too much is waiting already: try again in a moment', {
      headers: { 'retry-after': String(TRY_AGAIN_IN) },
    })
  }
}
