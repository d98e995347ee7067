import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpContext } from '@adonisjs/core/http'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import { type WithCookies, useOnce } from '../login/first_step.js'
import { PageNotFound } from '../../http/errors.js'
import AdminFactor from '../../models/admin_factor.js'
import AdminUser from '../../models/admin_user.js'
import { noticeOrigin, type WithNotices } from '../../notices/notices.js'
import { loggable } from '../../text/plain_text.js'
import type { OpenSession } from '../../models/admin_session.js'
import {
  relyingPartyOf,
  type RelyingParty,
  credentialHash,
  passkeyIn,
  sealPasskey,
  type PasskeyDetails,
} from './relying_party.js'
import { guardOf } from '../../identity/admin_guard.js'
import { inUtc } from '#base/values/datetime'
import encryption from '@adonisjs/core/services/encryption'

/** Loaded with the first passkey, because loading the modules would slow down the start of the server */
const webAuthn = () => import('@simplewebauthn/server')

const TIMEOUT = 5 * 60_000

const HANDLE_BYTES = 32

/* COSE numbers of EdDSA, ES256 and RS256. The library's default also includes experimental algorithms of Node.js. */
const ALGORITHMS = [-8, -7, -257]

interface AskTerms extends ChallengeTerms {
  /** The only user whose passkey is accepted. Default: any user */
  userId?: number
}

/** `cloned`: the signature counter decreased, so the passkey may have been cloned */
type PasskeyResponse =
  { outcome: 'good'; user: AdminUser } | { outcome: 'wrong' | 'cloned'; user?: AdminUser }

/**
 * Passkeys of admin users. They are discoverable, and the authenticator always verifies the user, so that a passkey
 * replaces a password and a second factor.
 */
export class Passkeys {
  constructor(private readonly site: Site & WithAuthentication & WithNotices & WithCookies) {}

  /**
   * Returns the options with which the browser creates a passkey.
   *
   * @throws PageNotFound  if the site has no host name that passkeys can be created for
   */
  async creationOptions(ctx: HttpContext) {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const party = partyOf(ctx)
    const own = await this.#detailsOf(owner.id)
    const handle = own[0]?.handle ?? randomBytes(HANDLE_BYTES).toString('base64url')
    const { generateRegistrationOptions } = await webAuthn()
    return await generateRegistrationOptions({
      rpName: this.site.title,
      rpID: party.id,
      userName: owner.username,
      userDisplayName: owner.username,
      userID: bytesOf(handle),
      challenge: giveChallenge(ctx, this.site, enrolment(session), handle),
      timeout: TIMEOUT,
      attestationType: 'none',
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: own.map(({ id, transports }) => ({ id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  /**
   * Adds the passkey that the browser has created to the signed-in user.
   *
   * @param sent  the credential, as JSON
   * @returns null for an invalid or unrequested credential; otherwise the result of `Factors.add`
   */
  async enrol(ctx: HttpContext, { sent, name }: { sent: string; name: string }) {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const party = partyOf(ctx)
    const response = parsed<RegistrationResponseJSON>(sent)
    const given = await takeChallenge(ctx, this.site, enrolment(session))
    if (!response || !given?.handle) return null
    const { verifyRegistrationResponse } = await webAuthn()
    const made = await checked(ctx, () =>
      verifyRegistrationResponse({
        response,
        ...expected(party, given.challenge),
        supportedAlgorithmIDs: ALGORITHMS,
      })
    )
    if (!made?.verified) return null
    const { credential, credentialBackedUp } = made.registrationInfo
    const details: PasskeyDetails = {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      handle: given.handle,
      transports: credential.transports ?? [],
      isSynced: credentialBackedUp,
    }
    const values = {
      name,
      secret: sealPasskey(owner.id, details),
      credentialHash: credentialHash(credential.id),
      counter: credential.counter,
    }
    return await this.site.adminAuthentication.factors.add(owner.id, values, session)
  }

  /**
   * Returns the options with which the browser requests a passkey.
   *
   * @throws PageNotFound  if the site has no host name that passkeys can be created for
   */
  async requestOptions(ctx: HttpContext, { userId, ...terms }: AskTerms) {
    const party = partyOf(ctx)
    const allowed = userId === undefined ? [] : await this.#detailsOf(userId)
    const { generateAuthenticationOptions } = await webAuthn()
    return await generateAuthenticationOptions({
      rpID: party.id,
      challenge: giveChallenge(ctx, this.site, terms),
      timeout: TIMEOUT,
      userVerification: 'required',
      allowCredentials: allowed.map(({ id, transports }) => ({ id, transports })),
    })
  }

  /**
   * Verifies the response of a passkey to a single-use challenge. The owner of a cloned passkey is notified.
   *
   * @param sent  the credential, as JSON
   */
  async take(ctx: HttpContext, sent: string, terms: AskTerms): Promise<PasskeyResponse> {
    const party = relyingPartyOf(ctx)
    const response = parsed<AuthenticationResponseJSON>(sent)
    const given = await takeChallenge(ctx, this.site, terms)
    const factor = response && (await factorOf(response.id))
    const user = factor && (await AdminUser.find(factor.userId))
    const isTheirs = user && (terms.userId === undefined || terms.userId === user.id)
    if (!isTheirs || !party || !given) return { outcome: 'wrong', user: user ?? undefined }

    const details = passkeyIn(factor)
    const isNamed = terms.userId !== undefined
    if (!details || !hasHandle(response, details, isNamed)) return { outcome: 'wrong', user }
    const { verifyAuthenticationResponse } = await webAuthn()
    const reply = await checked(ctx, () =>
      verifyAuthenticationResponse({
        response,
        ...expected(party, given.challenge),
        /*
         * 0 disables the library's check of the counter. It is compared below in a single statement, because two
         * processes can receive the same response.
         */
        credential: { id: details.id, publicKey: bytesOf(details.publicKey), counter: 0 },
      })
    )
    if (!reply?.verified) return { outcome: 'wrong', user }
    if (await raiseCounter(factor, reply.authenticationInfo.newCounter)) {
      return { outcome: 'good', user }
    }
    ctx.logger.warn(
      { factor: factor.id },
      'The counter of a passkey went back: there are two of it'
    )
    const where = { ...noticeOrigin(ctx), name: factor.name }
    await this.site.notices.notify(user, 'passkey_cloned', where)
    return { outcome: 'cloned', user }
  }

  async #detailsOf(userId: number): Promise<PasskeyDetails[]> {
    const factors = await this.site.adminAuthentication.factors.of(userId)
    return factors.flatMap((factor) => passkeyIn(factor) ?? [])
  }
}

function partyOf(ctx: HttpContext): RelyingParty {
  const party = relyingPartyOf(ctx)
  if (!party) throw new PageNotFound()
  return party
}

function enrolment(session: Pick<OpenSession, 'id'>): ChallengeTerms {
  return { purpose: 'enrolment', within: String(session.id) }
}

function expected({ id, origin }: RelyingParty, challenge: string) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }
}

/**
 * Returns true if the response contains the passkey's user handle. The handle is optional if the request listed the
 * allowed credentials.
 */
function hasHandle(
  { response }: AuthenticationResponseJSON,
  { handle }: PasskeyDetails,
  isNamed: boolean
): boolean {
  return (isNamed && !response.userHandle) || response.userHandle === handle
}

async function factorOf(id: string): Promise<AdminFactor | null> {
  const found = await AdminFactor.findBy('credentialHash', credentialHash(id))
  return found?.kind === 'passkey' ? found : null
}

/**
 * Stores the new counter of a passkey. Returns false if it has not increased; 0 after 0 is accepted, as authenticators
 * without a counter always send 0.
 */
async function raiseCounter({ id }: AdminFactor, counter: number): Promise<boolean> {
  const [changed] = await AdminFactor.query()
    .where('id', id)
    .where((query) => {
      query.whereNull('counter')
      if (counter === 0) query.orWhere('counter', 0)
      else query.orWhere('counter', '<', counter)
    })
    .update({ counter, last_used_at: inUtc() })
  return changed === 1
}

/**
 * Returns the result of the library, or null if it throws. The library's error messages contain the expected values but
 * never a key.
 */
async function checked<Result>(
  { logger }: HttpContext,
  verify: () => Promise<Result>
): Promise<Result | null> {
  try {
    return await verify()
  } catch (error) {
    const reason = loggable(String((error as Error).message).slice(0, 200))
    logger.warn({ reason }, 'A passkey was refused')
    return null
  }
}

/** Returns the credential in a JSON text; null if the text contains none. */
function parsed<Sent extends { id: string; response: object }>(sent: string): Sent | null {
  try {
    const value = JSON.parse(sent) as Partial<Sent> | null
    const isCredential =
      typeof value?.id === 'string' && typeof value.response === 'object' && value.response !== null
    return isCredential ? (value as Sent) : null
  } catch {
    return null
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** Purpose of a challenge */
type ChallengePurpose = 'login' | 'second_step' | 'proof' | 'enrolment'

/** Minutes that a challenge is valid */
const MINUTES = 5

/** Maximum length of an encrypted challenge */
const LONGEST = 1500

/** Conditions that a challenge is bound to, in addition to the browser. */
interface ChallengeTerms {
  purpose: ChallengePurpose
  /** Id of the session or login step that the challenge belongs to */
  within?: string
}

interface Sealed {
  id: string
  challenge: string
  within: string
  handle?: string
}

/**
 * Creates a challenge for a passkey to sign, and stores it in an encrypted cookie. The challenge is valid in this
 * browser, for this purpose, for five minutes and for a single use. The server stores nothing until the challenge is
 * used.
 *
 * @param handle  user handle of a new passkey, stored with the challenge
 */
function giveChallenge(
  ctx: HttpContext,
  site: WithCookies,
  { purpose, within = '' }: ChallengeTerms,
  handle?: string
): Uint8Array<ArrayBuffer> {
  const challenge = new Uint8Array(randomBytes(32))
  const text = Buffer.from(challenge).toString('base64url')
  const sealed: Sealed = { id: randomUUID(), challenge: text, within, handle }
  const value = encryption.encrypt(sealed, {
    purpose: sealPurpose(purpose),
    expiresIn: `${MINUTES}m`,
  })
  ctx.response.plainCookie(cookieName(purpose), value, cookie(site, MINUTES * 60))
  return challenge
}

/**
 * Uses the challenge of the request's cookie.
 *
 * @returns null if there is none, or it is expired, used, or for another purpose
 */
async function takeChallenge(
  ctx: HttpContext,
  site: WithCookies,
  { purpose, within = '' }: ChallengeTerms
): Promise<Pick<Sealed, 'challenge' | 'handle'> | null> {
  const value = ctx.request.plainCookie(cookieName(purpose), { encoded: false })
  if (typeof value !== 'string' || value.length > LONGEST) return null
  ctx.response.clearCookie(cookieName(purpose), cookie(site, 0))
  const sealed = encryption.decrypt<Sealed>(value, sealPurpose(purpose))
  if (sealed?.within !== within) return null
  return (await useOnce(sealed.id, MINUTES)) ? sealed : null
}

function sealPurpose(purpose: ChallengePurpose): string {
  return `challenge of a passkey: ${purpose}`
}

function cookieName(purpose: ChallengePurpose): string {
  return `passkey_${purpose}`
}

function cookie(site: WithCookies, seconds: number) {
  return {
    encode: false,
    httpOnly: true,
    sameSite: 'lax' as const,
    path: site.url('/'),
    secure: site.secureCookies,
    maxAge: seconds,
  }
}
