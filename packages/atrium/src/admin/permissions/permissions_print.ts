import { createHash } from 'node:crypto'
import type { PermissionsDocument } from './document.js'

/**
 * Digests of what decides which records and fields a user can see, to notice later that they have lost some of them.
 * Null for a user whom roles do not restrict.
 */
export type PermissionsPrint = { roles: string[]; attributes: string } | null

export function permissionsPrint(
  documents: readonly PermissionsDocument[],
  attributes: unknown
): PermissionsPrint {
  return { roles: documents.map((one) => digest(one)), attributes: digest(attributes ?? null) }
}

/**
 * True if a user can still see all that they could see before: every role is there unchanged, as further roles only add
 * to them, and so are the attributes that scopes compare with.
 *
 * @param before  undefined if it is not known
 */
export function stillAllows(now: PermissionsPrint, before: PermissionsPrint | undefined): boolean {
  if (now === null) return true
  if (!before || before.attributes !== now.attributes) return false
  return before.roles.every((role) => now.roles.includes(role))
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
