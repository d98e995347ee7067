import encryption from '@adonisjs/core/services/encryption'

/** Form field that says who was given the form */
export const OWNER = '_by'

const PURPOSE = 'form owner'

/**
 * Sealed id of the person whom a form is given to: what they send after their session has ended is kept for
 * nobody else. It signs nobody in. [R10]
 */
export function sealOwner(userId: number): string {
  return encryption.encrypt(String(userId), { purpose: PURPOSE, expiresIn: '7d' })
}

/**
 * @returns null for a text that the site has not sealed, or that is too old
 */
export function ownerIn(sealed: string | undefined): number | null {
  if (sealed === undefined || sealed.length > 500) return null
  const id = encryption.decrypt<string>(sealed, PURPOSE)
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : null
}
