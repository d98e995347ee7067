import { hash, hkdfSync, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'

/**
 * What an access token says: whose it is, and of which session.
 */
export interface TokenClaims {
  /** Who issued it, and what for */
  iss: string
  aud: string
  /** Id of the user */
  sub: string
  /** Hash of the session's id */
  sid: string
  /** The token's own id */
  jti: string
  /** Issued at, expires at: seconds since 1970 */
  iat: number
  exp: number
}

const ISSUER = 'atrium'
const AUDIENCE = 'atrium-admin'

/* RFC 9068; a token says what it is, so that no other one of this key is taken for it. */
const TYPE = 'at+jwt'

/* As many as there may be sessions at work; only tokens that are ours get among them. */
const MOST_VERIFIED = 1000

/**
 * Issues and checks the JWTs of the admin site. Their key is derived from `APP_KEY`, so that another
 * `APP_KEY` ends all of them. [B4]
 */
export class TokenService {
  readonly #key: Uint8Array
  /** What tokens say whose signature was right once, and so always is, by the token's hash */
  readonly #verified = new Map<string, TokenClaims>()

  /**
   * @param secret   the application's key
   * @param minutes  how long a token is good for
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
   * @returns the compact token and what it says
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
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: TYPE })
      .sign(this.#key)
    return { token, claims }
  }

  /**
   * @returns what the token says, or null if it is not ours, was changed, or has expired. Whether it was
   *   revoked is for the session manager to say.
   */
  async verify(token: string): Promise<TokenClaims | null> {
    const id = hash('sha256', token, 'base64')
    const known = this.#verified.get(id)
    if (known) return known.exp > Math.floor(Date.now() / 1000) ? known : null
    const claims = await this.#verify(token)
    if (!claims) return null
    if (this.#verified.size >= MOST_VERIFIED) this.#verified.clear()
    this.#verified.set(id, Object.freeze(claims))
    return claims
  }

  /**
   * Whether a token is to be replaced while its owner is at work: after a minute, so that it does not
   * end before a session of which the user takes all the idle time. [B7]
   */
  isWorn(claims: TokenClaims): boolean {
    return Date.now() / 1000 - claims.iat >= Math.min(60, this.minutes * 60 * 0.2)
  }

  async #verify(token: string): Promise<TokenClaims | null> {
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
