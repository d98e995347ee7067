import { basePath } from '#base/http/base_path'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { guardOf } from '../identity/admin_guard.js'
import type { SentencePart } from '../text/plain_text.js'

/** The *Undo* button of a message. */
export interface FlashUndo {
  /** URL that the form is sent to */
  url: string
  /** Label: *Undo* or *Redo* */
  label: string
}

type Offer = (ctx: HttpContext) => Promise<FlashUndo | undefined>

let offerOf: (() => Promise<Offer>) | undefined

/**
 * Registers the function that offers *Undo* for the writes of a request.
 *
 * @param load  returns the function, which is loaded for the first write
 */
export function offerUndoBy(load: () => Promise<Offer>): void {
  offerOf = load
}

/** Returns the message of an action, with *Undo* if the action can be reverted. */
export async function withUndo<Message extends { kind: string; undo?: FlashUndo }>(
  ctx: HttpContext,
  message: Message
): Promise<Message> {
  if (message.kind !== 'success' || message.undo) return message
  const offer = await offerOf?.()
  const undo = await offer?.(ctx)
  return undo ? { ...message, undo } : message
}

/** Result message of an action, shown on the next page. */
export interface Flash {
  kind: 'success' | 'error'
  text: string
  /** The record that the message is about */
  record?: FlashRecord
  /** Set if the action can be reverted */
  undo?: FlashUndo
}

interface FlashRecord {
  /** Name of the model */
  model: string
  /** Key as in URL paths, without the leading slash */
  key: string
  /** Parts of the text; the isolated part is the title of the record */
  parts: readonly SentencePart[]
  /** URL of the record's form; null if the user is not allowed to open it */
  url: string | null
}

/** Name of the encrypted cookie with the message; the site does not use the application's sessions */
const COOKIE = 'admin_flash'

const READ = new WeakMap<HttpContext, Flash | null>()
const SENT = new WeakMap<HttpContext, Flash>()

/** Stores the message for the next page. A second message of the same request is appended to the first. */
export async function flashToNextPage(ctx: HttpContext, flash: Flash): Promise<void> {
  const message = await withUndo(ctx, flash)
  const sent = SENT.get(ctx)
  const whole = sent ? { ...message, text: `${sent.text} ${message.text}` } : message
  SENT.set(ctx, whole)
  ctx.response.encryptedCookie(COOKIE, whole, await cookieOptions())
}

/**
 * Returns the message of the previous page, if any. Partial pages do not read it, so that a page that refreshes itself
 * in another window does not consume the message.
 */
export async function flashOf(ctx: HttpContext): Promise<Flash | null> {
  const { request } = ctx
  const isPage = request.method() === 'GET' && request.header('hx-request') === undefined
  if (!isPage || !guardOf(ctx).signedIn) return null
  if (!request.header('cookie')?.includes(`${COOKIE}=`)) return null
  if (!READ.has(ctx)) {
    READ.set(ctx, (request.encryptedCookie(COOKIE) as Flash | null) ?? null)
    if (!SENT.has(ctx)) ctx.response.clearCookie(COOKIE, await cookieOptions())
  }
  return READ.get(ctx) ?? null
}

async function cookieOptions() {
  const { secureCookies } = await app.container.make('admin.site')
  return {
    path: basePath() || '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: secureCookies,
    maxAge: undefined,
  } as const
}
