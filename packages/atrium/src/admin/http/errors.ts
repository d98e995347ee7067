import { Exception } from '@adonisjs/core/exceptions'
import { PageError } from '../text/errors.js'

/** The request was sent by another site. */
export class CrossSiteRequest extends PageError {
  static status = 403
  static code = 'E_CROSS_SITE'
  readonly textKey = 'errors.403.crossSite'
  readonly refusal = 'cross_site'
  static message = 'This request came from another site and was blocked'
}

/** The client's address is in none of the networks that the site is limited to. */
export class NetworkNotAllowed extends PageError {
  static status = 403
  static code = 'E_NETWORK_NOT_ALLOWED'
  readonly textKey = 'errors.403.network'
  readonly refusal = 'network'
  static message = 'This site cannot be used from your network'
}

/** The route does not accept the content type of the request's body. */
export class UnsupportedBody extends Exception {
  static status = 415
  static code = 'E_UNSUPPORTED_BODY'
  static message = 'This form takes application/x-www-form-urlencoded only'
}

/** The form has more values than the maximum. */
export class TooManyValues extends Exception {
  static status = 413
  static code = 'E_TOO_MANY_VALUES'
  static message = 'The form has more fields or values than are read'
}

/** The page does not exist in the site. */
export class PageNotFound extends Exception {
  static status = 404
  static code = 'E_PAGE_NOT_FOUND'
  static message = 'There is no such page'
  /** List of the model, which the error page links to */
  list?: { label: string; url: string }
}

/** Thrown for a page or record that exists, but must look missing to the signed-in user. */
export class WithheldPage extends PageNotFound {
  readonly refusal = 'permission'
}

/** The signed-in user is not allowed to do this. */
export class NotAllowed extends Exception {
  static status = 403
  static code = 'E_NOT_ALLOWED'
  static message = 'You may not do this'
}
