import { hkdfSync, randomUUID } from 'node:crypto'
import { digest } from '#base/values/digest'

/** Claims of a session token. */
export interface TokenClaims {
  /** Issuer and audience */
  iss: string
  aud: string
  /** Id of the user */
  sub: string
  /** SHA-256 of the session's id */
  sid: string
  /** Id of the token */
  jti: string
  /** Issued at and expires at, in seconds since 1970 */
  iat: number
  exp: number
}

const ISSUER = 'atrium'
const AUDIENCE = 'atrium-admin'

/* Token type of RFC 9068, which prevents other tokens that were signed with the same key from being accepted. */
const TYPE = 'at+jwt'

/* Maximum size of the cache, which is emptied when full. Only the site's tokens are cached. */
const MOST_VERIFIED = 1000

/**
 * Issues and verifies the JWTs of the admin site. The signing key is derived from `APP_KEY`, so a new `APP_KEY`
 * invalidates all tokens.
 */
export class TokenService {
  readonly #key: Uint8Array
  /** Claims of tokens with a verified signature, by the hash of the token */
  readonly #verified = new Map<string, TokenClaims>()

  /**
   * @param secret   the application's key
   * @param minutes  lifetime of a token in minutes
   */
  constructor(
    secret: string,
    private readonly minutes: number
  ) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'admin access token', 32))
  }

  /**
   * @param user     id of the user
   * @param session  hash of the session's id
   * @returns the compact token and its claims
   */
  async issue(
    user: number | string,
    session: string
  ): Promise<{ token: string; claims: TokenClaims }> {
    const iat = Math.floor(Date.now() / 1000)
    const claims: TokenClaims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: String(user),
      sid: session,
      jti: randomUUID(),
      iat,
      exp: iat + this.minutes * 60,
    }
    const { SignJWT } = await import('jose')
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: TYPE })
      .sign(this.#key)
    return { token, claims }
  }

  /**
   * @returns the claims, or null for a token that was not issued by the site, was altered or has expired. The session
   *   manager checks revocation.
   */
  async verify(token: string): Promise<TokenClaims | null> {
    const id = digest(token, 'base64')
    const known = this.#verified.get(id)
    if (known) return known.exp > Math.floor(Date.now() / 1000) ? known : null
    const claims = await this.#verify(token)
    if (!claims) return null
    if (this.#verified.size >= MOST_VERIFIED) this.#verified.clear()
    this.#verified.set(id, Object.freeze(claims))
    return claims
  }

  /**
   * Returns true if the token is due for renewal: after at most a minute, so that the token outlives a session whose
   * user is active just before the idle timeout.
   */
  isDueForRenewal(claims: TokenClaims): boolean {
    return Date.now() / 1000 - claims.iat >= Math.min(60, this.minutes * 60 * 0.2)
  }

  async #verify(token: string): Promise<TokenClaims | null> {
    const { jwtVerify } = await import('jose')
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: TYPE,
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
      })
      return payload as unknown as TokenClaims
    } catch {
      return null
    }
  }
}
