import { configProvider } from '@adonisjs/core'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import SessionMiddleware from '@adonisjs/session/session_middleware'
import type { SessionConfig } from '@adonisjs/session/types'
import { withUndo, type FlashUndo } from './flash_undo.js'
import type { SentencePart } from '../text/plain_text.js'

/**
 * Result of an action, to be shown on the next page. [B18]
 */
export interface Flash {
  kind: 'success' | 'error'
  text: string
  /** The one that it is about */
  record?: FlashRecord
  /** Set where the action can be taken back */
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

const KEY = 'admin'

/**
 * Middleware that reads the message of the previous page. Partial pages leave it alone: one that
 * refreshes itself in another window must not use it up.
 */
export async function flash(ctx: HttpContext, next: NextFn): Promise<void> {
  const { request, response } = ctx
  const { cookieName: name, cookie } = await sessionConfig()
  const isPage = request.method() === 'GET' && request.header('hx-request') === undefined
  const isLeft = request.header('cookie')?.includes(`${name}=`)
  const isOpen = ctx.session !== undefined
  if (!isPage || !isLeft || isOpen) return await next()

  await openSession(ctx, next)
  if (ctx.session.isEmpty) response.clearCookie(name, cookie)
}

/* Messages whose session was opened for them, and is stored already */
const STORED = new WeakMap<HttpContext, Flash>()

/**
 * Stores the message for the next page; a second one of the same request stands behind the first.
 */
export async function flashToNextPage(ctx: HttpContext, told: Flash): Promise<void> {
  const message = await withUndo(ctx, told)
  const stored = STORED.get(ctx)
  if (stored) {
    ctx.session.flash(KEY, { ...message, text: `${stored.text} ${message.text}` })
    await ctx.session.commit()
  } else if (ctx.session) ctx.session.flash(KEY, message)
  else {
    await openSession(ctx, async () => ctx.session.flash(KEY, message))
    STORED.set(ctx, message)
  }
}

/**
 * Message of the previous page, if any.
 */
export function flashOf(ctx: HttpContext): Flash | null {
  return (ctx.session?.flashMessages.get(KEY) as Flash | undefined) ?? null
}

let made: Promise<SessionConfig | null> | undefined

/** `config/session.ts` exports a provider; this resolves it. */
async function sessionConfig(): Promise<SessionConfig> {
  made ??= configProvider.resolve<SessionConfig>(app, app.config.get('session'))
  return (await made)!
}

async function openSession(ctx: HttpContext, next: NextFn) {
  const middleware = await ctx.containerResolver.make(SessionMiddleware)
  await middleware.handle(ctx, next)
}
