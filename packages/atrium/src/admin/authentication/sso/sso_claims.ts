import { LONGEST_USERNAME, SHORTEST_USERNAME } from '../../models/admin_user.js'
import type { SsoConfig, SsoRoles } from '../../config/sso_config.js'

type Claims = Record<string, unknown>

/** Permissions of a person according to the provider's claims. */
export interface GivenRights {
  /** Names of roles */
  roles: string[]
  /** Undefined: the provider does not decide who is a superuser */
  isSuperuser: boolean | undefined
}

/**
 * Returns the permissions that the claims grant.
 *
 * @returns null if no value of the claim is mapped to a role or makes the user a superuser
 */
export function rightsIn({ claim, map, superuser }: SsoRoles, claims: Claims): GivenRights | null {
  const values = textsOf(Object.hasOwn(claims, claim) ? claims[claim] : undefined)
  const mapped = values.filter((value) => Object.hasOwn(map, value))
  const isSuperuser = superuser && values.some((value) => superuser.includes(value))
  if (mapped.length === 0 && !isSuperuser) return null
  return { roles: [...new Set(mapped.flatMap((value) => map[value]))], isSuperuser }
}

/**
 * Returns the user name for a person, before it is made unique: from the claim that the settings specify, otherwise
 * from the subject, otherwise `user`.
 */
export function usernameIn(
  { usernameClaim }: Pick<SsoConfig, 'usernameClaim'>,
  claims: Claims
): string {
  for (const value of [claims[usernameClaim], claims.sub]) {
    if (typeof value !== 'string') continue
    const name = value
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/@.*$/s, '')
      .replace(/[^A-Za-z0-9._-]+/g, '.')
      .replace(/^\.+|\.+$/g, '')
      .slice(0, LONGEST_USERNAME)
    if (name.length >= SHORTEST_USERNAME) return name
  }
  return 'user'
}

/** Returns the email address that the provider has verified, or null. */
export function emailIn({ email, email_verified: isVerified }: Claims): string | null {
  const isGood = typeof email === 'string' && email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email)
  return isGood && isVerified === true ? email : null
}

/** Returns true if the ID token contains one of the methods, or if no methods are required. */
export function hasMethod(amr: readonly string[], claims: Claims): boolean {
  return amr.length === 0 || textsOf(claims.amr).some((method) => amr.includes(method))
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}
