import { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '../values/json.js'

/**
 * Answers with a JSON value; null is a value too.
 */
export function reply(ctx: HttpContext, value: unknown, status?: number): void {
  if (status) ctx.response.status(status)
  replyText(ctx, writeJson(value ?? null))
}

/**
 * Answers with a text that is JSON already. The server's own entity tags (`http.etag` of
 * `config/app.ts`) are made of the content, which is not always what the tag of an item is made of.
 */
export function replyText({ response }: HttpContext, json: string): void {
  response.header('content-type', 'application/json; charset=utf-8').send(json, false)
}

/**
 * Answers with the pieces of a text that is JSON already, each when the client has taken the one before.
 */
export function replyPieces({ response }: HttpContext, pieces: Buffer[], bytes: number): void {
  response
    .header('content-type', 'application/json; charset=utf-8')
    .header('content-length', String(bytes))
    .stream(Readable.from(pieces))
}
