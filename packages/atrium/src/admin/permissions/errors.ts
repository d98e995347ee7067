import { PageError } from '../text/page_error.js'

/** A superuser views the site as a role and can't write until this is ended. */
export class ViewingAsRole extends PageError {
  static status = 403
  static code = 'E_VIEWING_AS_ROLE'
  readonly textKey = 'roles.viewAs.refused'
  readonly refusal = 'viewing_as_role'
  static message = 'Nothing can be written while you see the site as a role'
}
