import { configProvider } from '@adonisjs/core'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import SessionMiddleware from '@adonisjs/session/session_middleware'
import type { SessionConfig } from '@adonisjs/session/types'

/**
 * What an action did, for the next page to say. [B18]
 */
export interface Flash {
  kind: 'success' | 'error'
  text: string
}

const KEY = 'admin'

/**
 * Opens what the page before left to say, if it left something. Parts of a page don't: a message is
 * for the next page, and a part that refreshes itself in another window must not use it up.
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

/**
 * Has the next page say it.
 */
export async function tellNextPage(ctx: HttpContext, message: Flash): Promise<void> {
  if (ctx.session) ctx.session.flash(KEY, message)
  else await openSession(ctx, async () => ctx.session.flash(KEY, message))
}

/**
 * What the page before left to say.
 */
export function flashOf(ctx: HttpContext): Flash | null {
  return (ctx.session?.flashMessages.get(KEY) as Flash | undefined) ?? null
}

let made: Promise<SessionConfig | null> | undefined

/** What `config/session.ts` exports is no more than what makes it. */
async function sessionConfig(): Promise<SessionConfig> {
  made ??= configProvider.resolve<SessionConfig>(app, app.config.get('session'))
  return (await made)!
}

async function openSession(ctx: HttpContext, next: NextFn) {
  const middleware = await ctx.containerResolver.make(SessionMiddleware)
  await middleware.handle(ctx, next)
}
