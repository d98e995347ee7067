import type { AdminSite } from '../../admin_site.js'

const TEXTS = ['label', 'short', 'long', 'name', 'weak', 'fair', 'good', 'strong', 'show'] as const

/**
 * For the template of a new password: the texts of its script, and where the user name stands that it must not be
 * near. The server decides what is accepted. [U13]
 *
 * @param username  where the form has no field for it
 */
export function strengthData(site: Pick<AdminSite, 'text'>, username?: string) {
  const texts = TEXTS.map((name) => [name, site.text(`passwords.strength.${name}`)])
  return { texts: JSON.stringify(Object.fromEntries(texts)), username }
}
