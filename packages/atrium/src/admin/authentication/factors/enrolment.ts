import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'enrolment of a second factor'

/** Longer than any sealed secret */
const LONGEST = 500

interface Sealed {
  user: number
  secret: string
}

/**
 * Seals a secret that is not a factor yet into the form that will confirm it, so that nothing is stored before.
 * [U8]
 */
export function sealSecret(userId: number, secret: string): string {
  const sealed: Sealed = { user: userId, secret }
  return encryption.encrypt(sealed, { purpose: PURPOSE, expiresIn: '30m' })
}

/**
 * @returns the secret; null for what the site has not sealed for this user, or longer ago than half an hour
 */
export function secretIn(userId: number, sealed: string | undefined): string | null {
  if (sealed === undefined || sealed.length > LONGEST) return null
  const found = encryption.decrypt<Sealed>(sealed, PURPOSE)
  return found?.user === userId ? found.secret : null
}
