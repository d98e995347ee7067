import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { digest } from '#base/values/digest'

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
export const RECOVERY_CODES = 10

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
