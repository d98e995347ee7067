import { randomBytes } from 'node:crypto'
import { safeEqual } from '@adonisjs/core/helpers'
import { keyedDigest } from '#base/values/digest'

/** Milliseconds after which a client has to begin a new session */
export const SESSION_LASTS = 24 * 60 * 60_000

/** Longest id that is read */
const LONGEST = 100

/** A session of an MCP client. */
export interface McpSession {
  /** Name of the session in events: the time of its start, and a random part */
  name: string
  /** Milliseconds */
  startedAt: number
}

/**
 * Returns the id of a new session. It is bound to the token, and valid in every process with the same application key, so
 * that no process has to store sessions.
 */
export function newSession(tokenId: number, now = Date.now()): string {
  const name = `${now.toString(36)}-${randomBytes(12).toString('hex')}`
  return `${name}.${signatureOf(name, tokenId)}`
}

/** @returns null for an id of another token, one that was not issued here, or an old one */
export function sessionOf(id: string, tokenId: number, now = Date.now()): McpSession | null {
  if (id.length > LONGEST) return null
  const [name, signature = '', ...rest] = id.split('.')
  if (rest.length > 0 || !safeEqual(signature, signatureOf(name, tokenId))) return null
  const startedAt = startOf(name)
  return now - startedAt > SESSION_LASTS ? null : { name, startedAt }
}

/** Returns the time at which a session began; NaN for a text that is not the name of a session. */
export function startOf(name: string): number {
  const [, text] = /^([\da-z]{6,11})-[\da-f]{24}$/.exec(name) ?? []
  return text === undefined ? Number.NaN : Number.parseInt(text, 36)
}

function signatureOf(name: string, tokenId: number): string {
  return keyedDigest(`mcp session ${name} of token ${tokenId}`)
}
