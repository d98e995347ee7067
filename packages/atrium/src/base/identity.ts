import type { Actor } from './types.js'
import { digest } from '#base/values/digest'

/**
 * Identifies an actor; all unknown actors have the same identity. A token is identified by its owner, so that a new
 * token can repeat requests of the old one.
 *
 * @returns undefined for a known actor without an identifier that is the same in each request
 */
export function identityOf({ kind, user, token, name }: Actor): string[] | undefined {
  if (kind === 'system') return [kind, name]
  const id = idOf(user) ?? idOf(token)
  if (id) return [kind, ...id]
  return kind === 'none' ? [kind] : undefined
}

/**
 * Identifies a user or a token by its class name and id.
 *
 * @returns undefined for a value without an id
 */
export function idOf(value: unknown): string[] | undefined {
  if (['string', 'number', 'bigint'].includes(typeof value)) return [String(value)]
  if (typeof value !== 'object' || value === null) return undefined
  const { $primaryKeyValue, id, identifier } = value as Record<string, unknown>
  const own = idOf($primaryKeyValue ?? id ?? identifier)
  return own && [value.constructor?.name ?? '', ...own]
}

/** Returns a digest of a body's fields, independent of their order, of whitespace, and of JSON or form encoding. */
export function fingerprintOf(body: Record<string, unknown>): string {
  return digest(JSON.stringify(body, inOrder), 'base64url')
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  )
}
