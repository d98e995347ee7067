import { Exception } from '@adonisjs/core/exceptions'
import { Problem } from '#crud'
import type { FieldError } from '#base/errors'

/**
 * Reasons for a redirect to the login page; its address accepts no other text. [B6]
 */
export const SIGN_IN_REASONS = [
  'required',
  'ended',
  'again',
  'sso_again',
  'sso_away',
  'sso_cancelled',
  'sso_factor',
  'sso_failed',
  'sso_role',
  'sso_throttled',
  'sso_unknown',
] as const

export type SignInReason = (typeof SIGN_IN_REASONS)[number]

/**
 * No user is signed in, or the session has ended.
 */
export class SignInRequired extends Exception {
  static status = 401
  static code = 'E_SIGN_IN_REQUIRED'
  readonly refusal: string

  constructor(readonly reason: SignInReason) {
    super('Sign in first')
    this.refusal = reason === 'ended' ? 'session_ended' : 'not_authenticated'
  }
}

/**
 * The user must have a second factor, has none, and can do nothing else before. [U10]
 */
export class FactorRequired extends Exception {
  static status = 403
  static code = 'E_FACTOR_REQUIRED'
  readonly refusal = 'factor_required'
  static message = 'Set up a second factor first'
}

/**
 * The user has to prove again who they are, as the last proof is too long ago. [U11]
 */
export class ReauthenticationRequired extends Exception {
  static status = 403
  static code = 'E_REAUTHENTICATION_REQUIRED'
  readonly refusal = 'proof_required'
  static message = 'Enter your password or a code again first'

  /**
   * @param next  page to go to afterwards, if not the one that the request came from
   */
  constructor(readonly next?: string) {
    super()
  }
}

/**
 * The request was sent by another site. [B9]
 */
export class CrossSiteRequest extends Exception {
  static status = 403
  static code = 'E_CROSS_SITE'
  readonly refusal = 'cross_site'
  static message = 'This request came from another site and was blocked'
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
 * Too many attempts came from the address. The response has its `Retry-After`.
 */
export class TooManyAttempts extends Exception {
  static status = 429
  static code = 'E_TOO_MANY_ATTEMPTS'
  static message = 'Too many attempts: wait a moment'
}

/**
 * A superuser is signed in as another user, and this is for that user alone. [U14]
 */
export class RefusedWhileActing extends Exception {
  static status = 403
  static code = 'E_ACTING'
  readonly refusal = 'acting'
  static message = 'This belongs to the user alone whom you are signed in as'
}

/**
 * A superuser is no longer signed in as another user: the hour is over, or one of them is no longer what they have to
 * be. Nothing was done. [U14]
 */
export class ActingEnded extends Exception {
  static status = 403
  static code = 'E_ACTING_ENDED'
  readonly refusal = 'acting'
  static message = 'You are no longer signed in as another user. Nothing was done'
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
  /** Where such records are */
  list?: { label: string; url: string }
}

/**
 * The page or record exists, and must look to the signed-in user as if it did not. [U4]
 */
export class WithheldPage extends PageNotFound {
  readonly refusal = 'permission'
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
 * A superuser views the site as a role, and can't write in the meantime. [U6]
 */
export class ViewingAsRole extends Exception {
  static status = 403
  static code = 'E_VIEWING_AS_ROLE'
  readonly refusal = 'viewing_as_role'
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

  /**
   * @param rows  what is wrong with rows in the form [R2]
   */
  constructor(
    readonly errors: readonly FieldError[],
    readonly rows: RowFaults = new Map()
  ) {
    super('The form has fields that are not valid')
  }
}

/**
 * Rows of a form that the user may not write, or that others have changed or removed since. [R2, B25]
 */
export class RefusedRows extends InvalidForm {
  static code = 'E_REFUSED_ROWS'

  /**
   * @param status  403 or 409
   */
  constructor(status: 403 | 409, errors: readonly FieldError[], rows: RowFaults) {
    super(errors, rows)
    this.status = status
  }
}

/**
 * The errors of a row in a form.
 */
export interface RowFault {
  /** Messages by API name */
  fieldErrors: Record<string, string>
  /** Messages about the row as a whole */
  messages: string[]
  /** True if another user has changed the row, so that it goes on from its current version */
  isChanged?: boolean
  /** True if there is no such row any more: saved again, it is a new one */
  isGone?: boolean
}

/** By relation and number of the row, as in `items.2`; by the relation alone for all of its rows */
export type RowFaults = ReadonlyMap<string, RowFault>

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
   * @param status  400, 409, 422 or 503
   * @param key     key of the message in the catalogue
   */
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {},
    cause?: unknown
  ) {
    super(key, { status, code: 'E_BULK', cause })
  }
}

/**
 * An export that can't be made as it was requested, with a message of the catalogue. [D2]
 */
export class ExportRefused extends Exception {
  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status: 422, code: 'E_EXPORT_REFUSED' })
  }
}

/**
 * An import that can't go on as it was asked to, with a message of the catalogue. [D3]
 */
export class ImportRefused extends Exception {
  static status = 422
  static code = 'E_IMPORT'

  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key)
  }
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

/**
 * An event can't be undone. [R7]
 */
export class UndoRefused extends Exception {
  static status = 409
  static code = 'E_UNDO_REFUSED'
  static message = 'This can no longer be undone'

  /**
   * @param reason   catalogue key below `undo.refused`, with its data
   * @param records  those that are in the way: their keys as in paths
   */
  constructor(
    readonly reason: string,
    readonly data: Record<string, unknown> = {},
    readonly records: ReadonlyArray<{ model: string; id: string; label: string }> = []
  ) {
    super()
  }
}
