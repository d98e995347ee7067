import encryption from '@adonisjs/core/services/encryption'
import type { SsoPerson } from './sso_provider.js'
import type { OpenSession } from '../sessions/session_manager.js'

const PURPOSE = 'id token of a session'

/* A longer one would not fit into the address of the provider's logout */
const LONGEST = 4000

/**
 * The data of a session that was begun by single sign-on: that it was, when the provider has asked the person, and
 * the ID token for its logout, encrypted with the application's key. [U15]
 */
export function ssoMetadata({ idToken, claims }: Pick<SsoPerson, 'idToken' | 'claims'>) {
  const isShort = idToken.length <= LONGEST
  const sso = isShort ? { idToken: encryption.encrypt(idToken, { purpose: PURPOSE }) } : {}
  return { sso, provedAt: askedAt(claims) }
}

/**
 * The moment at which the provider has asked the person who they are, in seconds since 1970: it may let somebody in
 * whom it has asked hours ago, which proves nothing now. [U11]
 *
 * @returns 0 if it does not say
 */
export function askedAt({ auth_time: time }: Record<string, unknown>): number {
  return typeof time === 'number' ? Math.min(time, Math.floor(Date.now() / 1000)) : 0
}

/**
 * The ID token of a session; null if it was not begun by single sign-on, or has none.
 */
export function idTokenOf({ sessionMetadata }: Pick<OpenSession, 'sessionMetadata'>) {
  const sealed = sessionMetadata.sso?.idToken
  return sealed === undefined ? null : encryption.decrypt<string>(sealed, PURPOSE)
}
