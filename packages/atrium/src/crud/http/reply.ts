import { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '#base/values/json'

/** Sends a JSON value, including null. */
export function reply(ctx: HttpContext, value: unknown, status?: number): void {
  if (status) ctx.response.status(status)
  replyText(ctx, writeJson(value ?? null))
}

/**
 * Sends JSON text. AdonisJS's entity tags (`http.etag` of `config/app.ts`) are not used: they hash the content of the
 * response, which differs from the content of an item's tag.
 */
export function replyText({ response }: HttpContext, json: string | Buffer): void {
  response.header('content-type', 'application/json; charset=utf-8').send(json, false)
}

/** Sends JSON text in pieces; each piece is sent after the client has received the previous one. */
export function replyPieces({ response }: HttpContext, pieces: Buffer[], bytes: number): void {
  response
    .header('content-type', 'application/json; charset=utf-8')
    .header('content-length', String(bytes))
    .stream(Readable.from(pieces))
}

/** Returns the value of a `Prefer: return=...` header (RFC 7240); the first one applies. */
export function preferredReturn(ctx: HttpContext): 'representation' | 'minimal' | undefined {
  for (const preference of (ctx.request.header('prefer') ?? '').split(',')) {
    const match = /^\s*return\s*=\s*"?(representation|minimal)"?\s*(?:;.*)?$/i.exec(preference)
    if (match) return match[1].toLowerCase() as 'representation' | 'minimal'
  }
  return undefined
}

/** Returns the number of a `Prefer: max-affected=N` header; undefined without a valid one. */
export function preferredMaximum(ctx: HttpContext): number | undefined {
  for (const preference of (ctx.request.header('prefer') ?? '').split(',')) {
    const match = /^\s*max-affected\s*=\s*"?(\d{1,15})"?\s*(?:;.*)?$/i.exec(preference)
    if (match) return Number(match[1])
  }
  return undefined
}
