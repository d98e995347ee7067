import { hash, randomBytes } from 'node:crypto'

/** Codes that a user gets together [U8] */
export const RECOVERY_CODES = 10

/* Crockford's: without letters that look like another one or like a digit. 32, so that each is 5 random bits. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz'

/* 120 bits: for fewer than 112, ASVS 6.5.2 asks for a slow hash. */
const LENGTH = 24
const GROUP = 4

const CODE = new RegExp(`^[${SIGNS}]{${LENGTH}}$`)

/* Letters that people write instead */
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
  return CODE.test(text) ? hash('sha256', text, 'hex') : null
}

function randomText(): string {
  return Array.from(randomBytes(LENGTH), (byte) => SIGNS[byte % SIGNS.length]).join('')
}

function inGroups(text: string): string {
  return text.match(new RegExp(`.{${GROUP}}`, 'g'))!.join('-')
}
