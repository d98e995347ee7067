import { Secret } from '@adonisjs/core/helpers'
import { ValueError } from '#crud'
import { checkEach, isObject, LABEL, TEXTS, TRUTH, type Check } from '#base/checks'

/** Settings of single sign-on by OpenID Connect in `config/admin.ts`. */
export interface SsoConfig {
  /** Issuer URL of the provider: `https://login.example.com/realms/shop` */
  issuer: string
  clientId: string
  /** Undefined for a public client */
  clientSecret: Secret<string> | undefined
  /** Requested scopes, which have to include `openid` */
  scopes: readonly string[]
  /** Label of the login button */
  label: string
  /** Claim that contains the user name of a new user */
  usernameClaim: string
  /** Mapping of claims to roles; undefined: roles are assigned only in the admin site */
  roles: SsoRoles | undefined
  /** Treatment of people without a linked user: reject the login, or create a user */
  unknown: 'refuse' | 'create'
  /** False: no user can log in with a password */
  passwords: boolean
  /** The `amr` claim of the ID token must contain one of these methods; empty: every login is accepted */
  amr: readonly string[]
}

/** Claim with the roles of a person. The roles are set at each login. */
export interface SsoRoles {
  /** Name of the claim, whose value is a string or an array of strings */
  claim: string
  /** Names of roles by value of the claim */
  map: Readonly<Record<string, readonly string[]>>
  /** Claim values that make the user a superuser; undefined: the provider does not decide who is a superuser */
  superuser?: readonly string[]
}

export type SsoInput = Pick<SsoConfig, 'issuer' | 'clientId'> & Partial<SsoConfig>

const PLACE = 'config/admin.ts'

const CHECKS: Record<keyof SsoConfig, Check> = {
  issuer: [
    isIssuer,
    'the address of the provider: https:// (http:// for localhost alone), without a query',
  ],
  clientId: LABEL,
  /* The value must not appear in an error message. */
  clientSecret: [() => true, ''],
  scopes: [
    (value) => TEXTS[0](value) && value.includes('openid'),
    "a list of scopes with 'openid' among them",
  ],
  label: LABEL,
  usernameClaim: LABEL,
  roles: [
    isRoles,
    "an object as in { claim: 'groups', map: { staff: ['Clerk'] }, superuser: ['admins'] }",
  ],
  unknown: [(value) => value === 'refuse' || value === 'create', "'refuse' or 'create'"],
  passwords: TRUTH,
  amr: TEXTS,
}

/**
 * Completes the settings with the defaults.
 *
 * @throws ValueError  for an unknown option or an invalid value
 */
export function ssoConfig(input: SsoInput): SsoConfig {
  const { clientSecret } = input
  checkEach(PLACE, input, CHECKS, { group: 'sso', mayBeUndefined: true })
  for (const name of ['issuer', 'clientId'] as const) {
    if (input[name] === undefined) throw new ValueError(`${PLACE}: sso.${name} is missing`)
  }
  if (clientSecret !== undefined && !(clientSecret instanceof Secret)) {
    throw new ValueError(
      `${PLACE}: sso.clientSecret is not a Secret, and must be one that start/env.ts reads with Env.schema.secret()`
    )
  }
  return {
    issuer: input.issuer,
    clientId: input.clientId,
    clientSecret,
    scopes: input.scopes ?? ['openid', 'profile', 'email'],
    label: input.label ?? 'Single sign-on',
    usernameClaim: input.usernameClaim ?? 'preferred_username',
    roles: input.roles,
    unknown: input.unknown ?? 'refuse',
    passwords: input.passwords ?? true,
    amr: input.amr ?? [],
  }
}

/** Returns true for an address over plain HTTP, which is only allowed for a provider on the same machine. */
export function isPlainHttp(issuer: string): boolean {
  return issuer.startsWith('http:')
}

function isIssuer(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname, search, hash, username, password } = new URL(value)
  if (search || hash || username || password) return false
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}

function isRoles(value: unknown): boolean {
  if (!isObject(value)) return false
  const { claim, map, superuser, ...rest } = value as Record<string, unknown>
  return (
    LABEL[0](claim) &&
    isObject(map) &&
    Object.values(map).every((names) => TEXTS[0](names)) &&
    (superuser === undefined || TEXTS[0](superuser)) &&
    Object.keys(rest).length === 0
  )
}
