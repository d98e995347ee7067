import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { guardOf } from '../identity/admin_guard.js'
import type { SentencePart } from '../text/plain_text.js'

/**
 * *Undo* of a message. [R7]
 */
export interface FlashUndo {
  /** URL that the form is sent to */
  url: string
  /** *Undo* or *Redo* */
  label: string
}

type Offer = (ctx: HttpContext) => Promise<FlashUndo | undefined>

let offer: Offer | undefined

/**
 * Registers the function that offers *Undo* for what a request has written.
 */
export function offerUndoBy(given: Offer): void {
  offer = given
}

/**
 * The message of an action with its *Undo*, if it can be undone.
 */
export async function withUndo<Message extends { kind: string; undo?: FlashUndo }>(
  ctx: HttpContext,
  message: Message
): Promise<Message> {
  const undo = message.kind === 'success' && !message.undo ? await offer?.(ctx) : undefined
  return undo ? { ...message, undo } : message
}

/**
 * Result of an action, to be shown on the next page. [B18]
 */
export interface Flash {
  kind: 'success' | 'error'
  text: string
  /** The one that it is about */
  record?: FlashRecord
  /** Set where the action can be reverted */
  undo?: FlashUndo
}

export interface FlashRecord {
  /** Name of the model */
  model: string
  /** Key as in paths, without the leading slash */
  key: string
  /** The text; its isolated part is the record's title */
  parts: readonly SentencePart[]
  /** URL of the record's form; null if the user may not open it */
  url: string | null
}

/** An encrypted cookie of the site: the application's sessions are its own. [K4] */
const COOKIE = 'admin_flash'

const READ = new WeakMap<HttpContext, Flash | null>()
const SENT = new WeakMap<HttpContext, Flash>()

/**
 * Stores the message for the next page; a second one of the same request is behind the first.
 */
export async function flashToNextPage(ctx: HttpContext, told: Flash): Promise<void> {
  const message = await withUndo(ctx, told)
  const sent = SENT.get(ctx)
  const whole = sent ? { ...message, text: `${sent.text} ${message.text}` } : message
  SENT.set(ctx, whole)
  ctx.response.encryptedCookie(COOKIE, whole, await cookieOptions())
}

/**
 * Message of the previous page, if any. Partial pages leave it alone: one that refreshes itself in another
 * window must not use it up.
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
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: secureCookies,
    maxAge: undefined,
  } as const
}
