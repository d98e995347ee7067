import encryption from '@adonisjs/core/services/encryption'
import type { OpenSession } from '../sessions/session_manager.js'

const PURPOSE = 'id token of a session'

/* A longer one would not fit into the address of the provider's logout */
const LONGEST = 4000

/**
 * The data of a session that was begun by single sign-on: that it was, and the ID token for the provider's logout,
 * encrypted with the application's key. [U15]
 */
export function ssoMetadata(idToken: string): { sso: { idToken?: string } } {
  if (idToken.length > LONGEST) return { sso: {} }
  return { sso: { idToken: encryption.encrypt(idToken, { purpose: PURPOSE }) } }
}

/**
 * The ID token of a session; null if it was not begun by single sign-on, or has none.
 */
export function idTokenOf({ sessionMetadata }: Pick<OpenSession, 'sessionMetadata'>) {
  const sealed = sessionMetadata.sso?.idToken
  return sealed === undefined ? null : encryption.decrypt<string>(sealed, PURPOSE)
}
