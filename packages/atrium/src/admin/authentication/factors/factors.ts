import encryption from '@adonisjs/core/services/encryption'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import logger from '@adonisjs/core/services/logger'
import { readingClientOf } from '../../config/database_config.js'
import AdminFactor from '../../models/admin_factor.js'
import AdminRecoveryCode from '../../models/admin_recovery_code.js'
import AdminUser from '../../models/admin_user.js'
import type { OpenSession } from '../../models/admin_session.js'
import type { SessionManager } from '../sessions/session_manager.js'
import { inUtc } from '#base/values/datetime'
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { digest } from '#base/values/digest'

/** Factor that the user has presented in addition to the password */
export type ShownFactor = 'totp' | 'recovery_code' | 'passkey'

/** The second factor as typed; exactly one property is set. */
export interface FactorResponse {
  code?: string
  recoveryCode?: string
}

type StoredSession = Pick<OpenSession, 'id'>

/**
 * Second factors of admin users, and the recovery codes that replace a lost factor. A change of the factors ends the
 * user's other sessions, like a new password.
 */
export class Factors {
  constructor(private readonly sessions: Pick<SessionManager, 'endAllOf'>) {}

  /** Returns the factors of a user, oldest first. */
  async of(userId: number, client = readingClientOf(AdminFactor)): Promise<AdminFactor[]> {
    return await AdminFactor.query({ client }).where('userId', userId).orderBy('id')
  }

  async has(userId: number, client = readingClientOf(AdminFactor)): Promise<boolean> {
    const found = await AdminFactor.query({ client })
      .where('userId', userId)
      .select('id')
      .limit(1)
      .first()
    return found !== null
  }

  /** Returns the number of unused recovery codes of a user. */
  async recoveryCodesLeft(userId: number): Promise<number> {
    const codes = await AdminRecoveryCode.query({ client: readingClientOf(AdminRecoveryCode) })
      .where('userId', userId)
      .whereNull('usedAt')
      .select('id')
    return codes.length
  }

  /**
   * Adds an authenticator app to a user, or replaces the existing one, if the code matches the secret. The code counts
   * as used.
   *
   * @param enrolment.secret          in base32
   * @param enrolment.currentSession  the session that continues
   * @returns null for a wrong code; `codes`: recovery codes to show, null unless this is the user's first factor
   */
  async enrol(
    userId: number,
    {
      secret,
      code,
      name,
      currentSession,
    }: { secret: string; code: string; name: string; currentSession: StoredSession }
  ): Promise<{ isFirst: boolean; codes: string[] | null } | null> {
    const counter = stepOf(code, secret, Date.now())
    if (counter === null) return null
    return await this.#inTurn(userId, async (client) => {
      const earlier = await this.of(userId, client)
      const replaced = earlier.filter(({ kind }) => kind === 'totp')
      for (const factor of replaced) await factor.useTransaction(client).delete()
      const sealed = encryption.encrypt(secret, { purpose: purposeOf(userId) })
      await AdminFactor.create(
        { userId, kind: 'totp', name, secret: sealed, counter, lastUsedAt: DateTime.utc() },
        { client }
      )
      await this.sessions.endAllOf(userId, currentSession, client)
      const codes = earlier.length === 0 ? await this.#giveCodes(userId, client) : null
      return { isFirst: earlier.length === 0, codes }
    })
  }

  /**
   * Adds a passkey to the user's factors.
   *
   * @param currentSession  the session that continues
   * @returns null if a user already has this passkey; `codes`: recovery codes to show, null unless this is the user's
   *   first factor
   */
  async add(
    userId: number,
    passkey: Pick<AdminFactor, 'name' | 'secret' | 'credentialHash' | 'counter'>,
    currentSession: StoredSession
  ): Promise<{ isFirst: boolean; codes: string[] | null } | null> {
    return await this.#inTurn(userId, async (client) => {
      const { credentialHash } = passkey
      if (await AdminFactor.query({ client }).where({ credentialHash }).first()) return null
      const earlier = await this.of(userId, client)
      await AdminFactor.create({ ...passkey, userId, kind: 'passkey' }, { client })
      await this.sessions.endAllOf(userId, currentSession, client)
      const codes = earlier.length === 0 ? await this.#giveCodes(userId, client) : null
      return { isFirst: earlier.length === 0, codes }
    })
  }

  /** Returns true if the secret belongs to the user's authenticator app, which means that the form was sent twice. */
  async isEnrolled(userId: number, secret: string): Promise<boolean> {
    const factors = await this.of(userId)
    return factors.some((factor) => factor.kind === 'totp' && secretOf(factor) === secret)
  }

  /**
   * Removes a factor and, with the last factor, the recovery codes.
   *
   * @returns null if the user has no such factor
   */
  async remove(
    userId: number,
    id: number,
    currentSession: StoredSession
  ): Promise<AdminFactor | null> {
    return await this.#inTurn(userId, async (client) => {
      const factors = await this.of(userId, client)
      const factor = factors.find((one) => one.id === id)
      if (!factor) return null
      await factor.useTransaction(client).delete()
      if (factors.length === 1) await this.#dropCodes(userId, client)
      await this.sessions.endAllOf(userId, currentSession, client)
      return factor
    })
  }

  /**
   * Removes all factors and recovery codes of a user, and ends all sessions of the user.
   *
   * @returns the number of removed factors and of ended sessions
   */
  async reset(userId: number): Promise<{ factors: number; sessions: number }> {
    return await this.#inTurn(userId, async (client) => {
      const factors = await this.of(userId, client)
      for (const factor of factors) await factor.useTransaction(client).delete()
      await this.#dropCodes(userId, client)
      const sessions = await this.sessions.endAllOf(userId, undefined, client)
      return { factors: factors.length, sessions }
    })
  }

  /**
   * Replaces the recovery codes of a user by ten new ones.
   *
   * @returns the codes, which are not stored in plain text; null for a user without a factor
   */
  async renewCodes(userId: number): Promise<string[] | null> {
    return await this.#inTurn(userId, async (client) =>
      (await this.has(userId, client)) ? await this.#giveCodes(userId, client) : null
    )
  }

  /**
   * Uses a code. If several requests or processes use the same code, only one is accepted.
   *
   * @returns the kind of factor; null for a wrong or used code
   */
  async take(userId: number, { code, recoveryCode }: FactorResponse): Promise<ShownFactor | null> {
    if (recoveryCode !== undefined) return await this.#takeRecoveryCode(userId, recoveryCode)
    return code === undefined ? null : await this.#takeCode(userId, code)
  }

  async #takeCode(userId: number, code: string): Promise<ShownFactor | null> {
    const now = Date.now()
    for (const factor of await this.of(userId)) {
      if (factor.kind !== 'totp') continue
      const secret = secretOf(factor)
      const step = secret === null ? null : stepOf(code, secret, now)
      if (step !== null && (await raiseCounter(factor, step))) return 'totp'
    }
    return null
  }

  async #takeRecoveryCode(userId: number, typed: string): Promise<ShownFactor | null> {
    const hash = hashOfRecoveryCode(typed)
    if (hash === null) return null
    const [changed] = await AdminRecoveryCode.query()
      .where({ userId, hash })
      .whereNull('usedAt')
      .update({ used_at: inUtc() })
    return changed === 1 ? 'recovery_code' : null
  }

  async #giveCodes(userId: number, client: TransactionClientContract): Promise<string[]> {
    await this.#dropCodes(userId, client)
    const codes = newRecoveryCodes()
    const rows = codes.map((code) => ({ userId, hash: hashOfRecoveryCode(code)!, usedAt: null }))
    await AdminRecoveryCode.createMany(rows, { client })
    return codes
  }

  async #dropCodes(userId: number, client: TransactionClientContract) {
    await AdminRecoveryCode.query({ client }).where('userId', userId).delete()
  }

  /** Locks the user, so that changes of the user's factors, and logins of the user, run one after the other. */
  async #inTurn<Result>(
    userId: number,
    work: (client: TransactionClientContract) => Promise<Result>
  ): Promise<Result> {
    return await AdminUser.transaction(async (client: TransactionClientContract) => {
      await AdminUser.query({ client }).where('id', userId).forUpdate().first()
      return await work(client)
    })
  }
}

async function raiseCounter({ id }: AdminFactor, counter: number): Promise<boolean> {
  const [changed] = await AdminFactor.query()
    .where('id', id)
    .where((query) => query.whereNull('counter').orWhere('counter', '<', counter))
    .update({ counter, last_used_at: inUtc() })
  return changed === 1
}

/** Returns the secret in base32; null if it was encrypted with a key that the application no longer has. */
function secretOf(factor: AdminFactor): string | null {
  const secret = encryption.decrypt<string>(factor.secret, purposeOf(factor.userId))
  if (secret === null) {
    logger.error(
      { factor: factor.id },
      'A second factor can not be read, as it was encrypted with another APP_KEY: node ace admin:mfa NAME --reset'
    )
  }
  return secret
}

/** Binds the encrypted secret to the user, so that it cannot be decrypted in a row of another user. */
function purposeOf(userId: number): string {
  return `second factor of ${userId}`
}

/* Default values of authenticator apps; some apps ignore other values. */
const TERMS = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/* Number of time steps before and after the current one whose codes are accepted, for clocks that differ */
const WINDOW = 1

const SECRET_BYTES = 20

const CODE = /^\d{6}$/

/** Returns a new secret, in base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * Returns the URL in the QR code: `otpauth://totp/...`.
 *
 * @param issuer  the title of the site
 */
export function keyUri(secret: string, { issuer, label }: { issuer: string; label: string }) {
  /* A colon separates the issuer from the label, so neither can contain one. */
  const named = issuer.replaceAll(':', ' ')
  return new TOTP({ ...TERMS, issuer: named, label, secret: Secret.fromBase32(secret) }).toString()
}

/**
 * Returns the time step of a code: the number of the 30-second period since 1970.
 *
 * @param code    as typed; spaces are ignored
 * @param secret  in base32
 * @param now     milliseconds since 1970
 * @returns null if the code belongs to none of the accepted time steps
 */
export function stepOf(code: string, secret: string, now: number): number | null {
  const token = code.replace(/\s/g, '')
  if (!CODE.test(token)) return null
  const totp = new TOTP({ ...TERMS, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: now, window: WINDOW })
  return delta === null ? null : Math.floor(now / (TERMS.period * 1000)) + delta
}

/** Number of codes that a user gets */
const RECOVERY_CODES = 10

/*
 * Alphabet of Crockford's Base32, without characters that look alike. With 32 characters, each one encodes 5 random
 * bits.
 */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz'

/* 24 characters have 120 bits. ASVS 6.5.2 requires a slow hash for codes of fewer than 112 bits. */
const LENGTH = 24
const GROUP = 4

const RECOVERY_CODE = new RegExp(`^[${SIGNS}]{${LENGTH}}$`)

/* Characters outside of the alphabet that are read as a similar one in it */
const LOOKALIKES: Record<string, string> = { o: '0', i: '1', l: '1' }

/** Generates codes in groups of four characters, as they are shown: `7k2m-...`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => inGroups(randomText()))
}

/**
 * Returns the hash of a typed code, in hex. Separators and case are ignored.
 *
 * @returns null for a text that cannot be a code
 */
export function hashOfRecoveryCode(typed: string): string | null {
  const text = typed
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replace(/[oil]/g, (letter) => LOOKALIKES[letter])
  return RECOVERY_CODE.test(text) ? digest(text) : null
}

function randomText(): string {
  return Array.from(randomBytes(LENGTH), (byte) => SIGNS[byte % SIGNS.length]).join('')
}

function inGroups(text: string): string {
  return text.match(new RegExp(`.{${GROUP}}`, 'g'))!.join('-')
}
