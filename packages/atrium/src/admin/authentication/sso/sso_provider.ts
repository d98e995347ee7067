import type { Configuration, IDToken } from 'openid-client'
import { isPlainHttp, type SsoConfig } from '../../config/sso_config.js'

/**
 * Reason why a person who came from the provider was rejected: `away`: the provider could not be reached; `failed`: its
 * response cannot be trusted; `cancelled`: the provider or the person declined; `factor`: the login lacks the methods
 * that `amr` requires; `unknown`: no user is linked; `role`: no value of the claim is mapped; `linked`: the identity is
 * linked with another user; `again`: the login step was already used or belongs to another session; `throttled`: too
 * many failures from the address.
 */
export type SsoRefusal =
  'away' | 'failed' | 'cancelled' | 'factor' | 'unknown' | 'role' | 'linked' | 'again' | 'throttled'

/**
 * Thrown when a person who came from the provider is rejected. The message is for the application's log and contains
 * nothing that the provider sent.
 */
export class SsoRefused extends Error {
  constructor(
    readonly refusal: SsoRefusal,
    message: string = refusal,
    /** User name from the provider, if the signature was valid */
    readonly typedName = ''
  ) {
    super(message)
  }
}

/** Values that the browser has to return unchanged, which shows that the response belongs to its request */
export interface SsoSecrets {
  state: string
  nonce: string
  verifier: string
}

/**
 * A person with an ID token of the provider that has a valid signature, issuer, audience, nonce and
 * time.
 */
export interface SsoPerson {
  issuer: string
  subject: string
  /** Claims of the ID token, completed by the userinfo endpoint if the ID token lacks a required claim */
  claims: Record<string, unknown>
  idToken: string
}

interface ServerResponse {
  /** URL of the callback request, including the query from the provider */
  url: URL
  secrets: SsoSecrets
  /** Time (milliseconds since 1970) after which the person must have authenticated at the provider */
  freshSince: number | undefined
}

const HOUR = 3_600_000
/* Milliseconds for which an unavailable provider is not requested again */
const REST = 5_000
const TIMEOUT_SECONDS = 5
const TOLERANCE_SECONDS = 30
/*
 * Maximum age of an authentication, in seconds; sent so that the provider has to return the time of the authentication
 */
const LONGEST_PROOF = 900

/**
 * Client of the OpenID Connect provider: authorization code flow with PKCE, state and nonce. The provider's metadata is
 * read on first use, cached for an hour, and read again after a failure, so that the server starts without the
 * provider.
 */
export class SsoProvider {
  #found: { configuration: Configuration; at: number } | undefined
  #asking: Promise<Configuration> | undefined
  #failedAt = -Infinity

  constructor(private readonly config: SsoConfig) {}

  /**
   * Begins a login.
   *
   * @param isFresh  true if the provider has to prompt the person even if they have a session there
   * @throws SsoRefused  if the provider is not available
   */
  async begin(
    redirectUri: string,
    { isFresh = false } = {}
  ): Promise<{ url: URL; secrets: SsoSecrets }> {
    const client = await import('openid-client')
    const configuration = await this.#configuration()
    const secrets = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.config.scopes.join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      ...(isFresh && { prompt: 'login', max_age: '0' }),
    })
    return { url, secrets }
  }

  /**
   * Handles the response of the provider: checks `state` and `iss`, exchanges the code, checks the ID token.
   *
   * @param needed  claims that are requested from the userinfo endpoint if the ID token lacks them
   * @throws SsoRefused
   */
  async finish(
    { url, secrets, freshSince }: ServerResponse,
    needed: readonly string[]
  ): Promise<SsoPerson> {
    const client = await import('openid-client')
    const configuration = await this.#configuration()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.verifier,
        idTokenExpected: true,
        ...(freshSince !== undefined && { maxAge: LONGEST_PROOF }),
      })
      const idClaims = tokens.claims()!
      checkFresh(idClaims, freshSince)
      const lacks = needed.some((claim) => !Object.hasOwn(idClaims, claim))
      const more =
        lacks && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, idClaims.sub)
          : {}
      return {
        issuer: idClaims.iss,
        subject: idClaims.sub,
        claims: { ...more, ...idClaims },
        idToken: tokens.id_token!,
      }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /**
   * Returns the URL that also ends the session at the provider and redirects back.
   *
   * @returns null if the provider has no such endpoint or is not available
   */
  async endSessionUrl(idToken: string, back: string): Promise<string | null> {
    const client = await import('openid-client')
    try {
      const configuration = await this.#configuration()
      if (!configuration.serverMetadata().end_session_endpoint) return null
      return client.buildEndSessionUrl(configuration, {
        id_token_hint: idToken,
        post_logout_redirect_uri: back,
      }).href
    } catch {
      return null
    }
  }

  async #configuration(): Promise<Configuration> {
    const now = Date.now()
    if (this.#found && now - this.#found.at < HOUR) return this.#found.configuration
    const isResting = now - this.#failedAt < REST
    if (!isResting) {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
      try {
        const configuration = await this.#asking
        this.#found = { configuration, at: Date.now() }
        return configuration
      } catch (error) {
        this.#failedAt = Date.now()
        if (!this.#found) throw new SsoRefused('away', `no discovery: ${codeOf(error)}`)
      }
    }
    if (!this.#found) throw new SsoRefused('away', 'no discovery a moment ago')
    return this.#found.configuration
  }

  /** Reads the provider's metadata. The issuer in them has to be the configured one. */
  async #ask(): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.config
    const secret = clientSecret?.release()
    const basic = client.ClientSecretBasic(secret)
    const post = client.ClientSecretPost(secret)
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: TOLERANCE_SECONDS },
      secret === undefined
        ? client.None()
        : (server, ...rest) => {
            const methods = server.token_endpoint_auth_methods_supported
            const isBasic = methods?.includes('client_secret_basic') ?? true
            return (isBasic ? basic : post)(server, ...rest)
          },
      {
        timeout: TIMEOUT_SECONDS,
        execute: isPlainHttp(issuer) ? [client.allowInsecureRequests] : [],
      }
    )
    /*
     * Without this check, the library accepts an unsigned ID token, because it was received directly from the
     * provider.
     */
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }
}

function checkFresh({ auth_time: time }: IDToken, since: number | undefined) {
  if (since === undefined) return
  if (typeof time !== 'number' || time < Math.floor(since / 1000) - TOLERANCE_SECONDS) {
    throw new SsoRefused('failed', 'the provider did not ask the person anew')
  }
}

function refusalOf(error: unknown): SsoRefused {
  if (error instanceof SsoRefused) return error
  const { name, code, error: said } = error as { name?: string; code?: string; error?: string }
  if (name === 'AuthorizationResponseError' && said === 'access_denied') {
    return new SsoRefused('cancelled')
  }
  const isAway = code === 'OAUTH_TIMEOUT' || (error as Error).message === 'fetch failed'
  return new SsoRefused(isAway ? 'away' : 'failed', codeOf(error))
}

/** Returns the error's codes for the log, never its message, which can quote sent values. */
function codeOf(error: unknown): string {
  const { name = '', code = '', cause } = error as { name?: string; code?: string; cause?: unknown }
  const { code: inner } = (cause ?? {}) as { code?: unknown }
  return [name, code, typeof inner === 'string' ? inner : '']
    .filter(Boolean)
    .join(' ')
    .slice(0, 120)
}
