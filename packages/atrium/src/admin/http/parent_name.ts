import type { HttpContext } from '@adonisjs/core/http'

export const PARENT = '_parent'

/* Longer addresses might not pass a proxy. */
const LONGEST = 1000

/**
 * The name of the record that a form leads back to, as its address has it: `Distributor/3`. It is looked up like
 * any record, and never followed. [R4]
 *
 * @returns null if there is none
 */
export function parentNameIn({ request }: HttpContext): string | null {
  const name = new URLSearchParams(request.parsedUrl.query ?? '').getAll(PARENT).at(-1)
  return name === undefined || name.length > LONGEST ? null : name
}

/**
 * Address of a form that leads back to a record.
 *
 * @param name  null if it leads back to no record
 */
export function withParentName(address: string, name: string | null): string {
  if (name === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}${PARENT}=${encodeURIComponent(name)}`
}
