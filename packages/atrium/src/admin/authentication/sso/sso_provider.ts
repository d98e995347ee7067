import type { Configuration, IDToken } from 'openid-client'
import { isPlainHttp, type SsoConfig } from '../../config/sso_config.js'

/**
 * Why a person who came from the provider was rejected: `away`: it could not be reached; `failed`: its response is
 * not to be trusted; `cancelled`: it refused, or the person did; `factor`: without the methods that `amr` names;
 * `unknown`: linked with no user; `role`: no value of the claim is mapped; `linked`: with
 * another user; `again`: the way back is used or not this session's; `throttled`: too many failures of the address.
 */
export type SsoRefusal =
  'away' | 'failed' | 'cancelled' | 'factor' | 'unknown' | 'role' | 'linked' | 'again' | 'throttled'

/**
 * A person who came from the provider is rejected. Its message is for the application's log; it holds nothing
 * that the provider sent. [U15]
 */
export class SsoRefused extends Error {
  constructor(
    readonly refusal: SsoRefusal,
    message: string = refusal,
    /** User name as the provider has it, if its signature was good */
    readonly typedName = ''
  ) {
    super(message)
  }
}

/** Values that the browser has to bring back unchanged: otherwise the response is not meant for it */
export interface SsoSecrets {
  state: string
  nonce: string
  verifier: string
}

/**
 * A person that the provider has authenticated, by an ID token whose signature, issuer, audience, nonce and time are right.
 */
export interface SsoPerson {
  issuer: string
  subject: string
  /** Of the ID token, and of the userinfo endpoint where the ID token lacks one that is needed */
  claims: Record<string, unknown>
  idToken: string
}

interface ServerResponse {
  /** Where the provider has sent the browser, with the query that it came with */
  url: URL
  secrets: SsoSecrets
  /** Milliseconds since 1970 after which the person must have authenticated at the provider */
  freshSince: number | undefined
}

const HOUR = 3_600_000
/* Milliseconds in which a provider that was away is not asked again */
const REST = 5_000
const TIMEOUT_SECONDS = 5
const TOLERANCE_SECONDS = 30
/* Seconds since the authentication; only there so that the provider has to say when it was */
const LONGEST_PROOF = 900

/**
 * The OpenID Connect provider: authorization code flow with PKCE, state and nonce. Its metadata is read
 * when first needed, cached for an hour, and read again after a failure: the server starts without it. [U15]
 */
export class SsoProvider {
  #found: { configuration: Configuration; at: number } | undefined
  #asking: Promise<Configuration> | undefined
  #failedAt = -Infinity

  constructor(private readonly config: SsoConfig) {}

  /**
   * Begins a login.
   *
   * @param isFresh  true if the provider has to ask the person anew, whether or not they have a session there
   * @throws SsoRefused  if the provider is away
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
      const told = tokens.claims()!
      checkFresh(told, freshSince)
      const lacks = needed.some((claim) => !Object.hasOwn(told, claim))
      const more =
        lacks && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, told.sub)
          : {}
      return {
        issuer: told.iss,
        subject: told.sub,
        claims: { ...more, ...told },
        idToken: tokens.id_token!,
      }
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /**
   * Address at which the provider ends its session, too, and leads back; null if it has none, or is away.
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

  /** The issuer that the provider calls itself has to be the configured one. */
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
    /* Without it the ID token is trusted because of where it came from, unsigned. */
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

/** Never the message, which may quote what was sent. */
function codeOf(error: unknown): string {
  const { name = '', code = '', cause } = error as { name?: string; code?: string; cause?: unknown }
  const { code: inner } = (cause ?? {}) as { code?: unknown }
  return [name, code, typeof inner === 'string' ? inner : '']
    .filter(Boolean)
    .join(' ')
    .slice(0, 120)
}
