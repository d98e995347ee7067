import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { digest } from '#base/values/digest'

/* Values that authenticator apps take for granted; some ignore other values. [U8] */
const TERMS = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/* Steps before and after the current one whose codes are accepted, for clocks that differ. */
const WINDOW = 1

const SECRET_BYTES = 20

const CODE = /^\d{6}$/

/**
 * A new secret, in base32.
 */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * The address that the QR code holds: `otpauth://totp/...`.
 *
 * @param issuer  the title of the site
 */
export function keyUri(secret: string, { issuer, label }: { issuer: string; label: string }) {
  /* A colon parts the issuer from the label, and neither may hold one. */
  const named = issuer.replaceAll(':', ' ')
  return new TOTP({ ...TERMS, issuer: named, label, secret: Secret.fromBase32(secret) }).toString()
}

/**
 * Finds the step that a code is of: the number of its 30 seconds since 1970. [U8]
 *
 * @param code    as typed; spaces do not count
 * @param secret  in base32
 * @param now     milliseconds since 1970
 * @returns null for a code of no step that is near enough
 */
export function stepOf(code: string, secret: string, now: number): number | null {
  const token = code.replace(/\s/g, '')
  if (!CODE.test(token)) return null
  const totp = new TOTP({ ...TERMS, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: now, window: WINDOW })
  return delta === null ? null : Math.floor(now / (TERMS.period * 1000)) + delta
}

/** Codes that a user gets together [U8] */
export const RECOVERY_CODES = 10

/* Crockford's: without characters that look like another one. 32, so that each is 5 random bits. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz'

/* 120 bits: for fewer than 112, ASVS 6.5.2 asks for a slow hash. */
const LENGTH = 24
const GROUP = 4

const RECOVERY_CODE = new RegExp(`^[${SIGNS}]{${LENGTH}}$`)

/* Characters that people write instead */
const LOOKALIKES: Record<string, string> = { o: '0', i: '1', l: '1' }

/**
 * Makes codes as they are shown, in groups of four: `7k2m-...`.
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => inGroups(randomText()))
}

/**
 * Hash of a typed code, in hex. Groups and capitals do not count.
 *
 * @returns null for what can't be a code
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
