import { Exception } from '@adonisjs/core/exceptions'
import { PageError } from '../text/errors.js'

/** Reasons for a redirect to the login page, whose URL accepts no other values. */
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

type SignInReason = (typeof SIGN_IN_REASONS)[number]

/** No user is signed in, or the session has ended. */
export class SignInRequired extends Exception {
  static status = 401
  static code = 'E_SIGN_IN_REQUIRED'
  readonly refusal: string

  constructor(readonly reason: SignInReason) {
    super('Sign in first')
    this.refusal = reason === 'ended' ? 'session_ended' : 'not_authenticated'
  }
}

/** The user must have a second factor and has none, so only setting one up is allowed. */
export class FactorRequired extends Exception {
  static status = 403
  static code = 'E_FACTOR_REQUIRED'
  readonly refusal = 'factor_required'
  static message = 'Set up a second factor first'
}

/** The user has to authenticate again, because the last authentication is not recent. */
export class ReauthenticationRequired extends Exception {
  static status = 403
  static code = 'E_REAUTHENTICATION_REQUIRED'
  readonly refusal = 'proof_required'
  static message = 'Enter your password or a code again first'

  /** @param next  page to redirect to afterwards, if not the page that the request came from */
  constructor(readonly next?: string) {
    super()
  }
}

/** A superuser is signed in as another user, and only that user personally is allowed to do this. */
export class RefusedWhileActing extends PageError {
  static status = 403
  static code = 'E_ACTING'
  readonly textKey = 'signInAs.refused'
  readonly refusal = 'acting'
  static message = 'Only the user that you are signed in as can do this'
}

/**
 * A superuser is no longer signed in as another user, because an hour is over or one of the two users no longer meets
 * the requirements. The request was not executed.
 */
export class ActingEnded extends PageError {
  static status = 403
  static code = 'E_ACTING_ENDED'
  readonly textKey = 'signInAs.ended'
  readonly refusal = 'acting'
  static message = 'You are no longer signed in as another user. Nothing was done'
}
