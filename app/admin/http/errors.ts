import { Exception } from '@adonisjs/core/exceptions'

/**
 * Why somebody is sent to the login page; nothing else can stand in its address. [B6]
 */
export const SIGN_IN_REASONS = ['required', 'ended'] as const

export type SignInReason = (typeof SIGN_IN_REASONS)[number]

/**
 * Nobody is signed in, or no longer.
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
 * The request's body is of a kind that the route does not take.
 */
export class UnsupportedBody extends Exception {
  static status = 415
  static code = 'E_UNSUPPORTED_BODY'
  static message = 'This form takes application/x-www-form-urlencoded only'
}

/**
 * A form has more in it than any of ours.
 */
export class TooManyValues extends Exception {
  static status = 413
  static code = 'E_TOO_MANY_VALUES'
  static message = 'The form has more fields or values than are read'
}

/**
 * There is no such page in the site.
 */
export class PageNotFound extends Exception {
  static status = 404
  static code = 'E_PAGE_NOT_FOUND'
  static message = 'There is no such page'
}

/**
 * The signed-in user may not do this. [B13]
 */
export class NotAllowed extends Exception {
  static status = 403
  static code = 'E_NOT_ALLOWED'
  static message = 'You may not do this'
}
