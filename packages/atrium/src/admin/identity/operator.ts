import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import { systemActor } from '#crud'
import type { SystemActor } from '#base/types'
import { guardOf } from './admin_guard.js'

/**
 * Returns a context without a request, for code that needs one. No user is signed in, and no response is sent.
 *
 * @param ip       address that the work was started from
 * @param headers  headers of the request that started it
 */
export async function madeContext({
  ip,
  headers = {},
}: { ip?: string; headers?: Record<string, string> } = {}): Promise<HttpContext> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: ip })
  const message = new IncomingMessage(socket)
  message.method = 'POST'
  message.url = '/'
  message.headers = headers
  const reply = new ServerResponse(message)

  const server = await app.container.make('server')
  const request = server.createRequest(message, reply)
  const response = server.createResponse(message, reply)
  const ctx = server.createHttpContext(request, response, app.container.createResolver())
  if (app.container.hasBinding('auth.manager')) {
    const auth = await app.container.make('auth.manager')
    ctx.auth = auth.createAuthenticator(ctx)
  }
  guardOf(ctx).authenticationAttempted = true
  return ctx
}

const OPERATORS = new WeakMap<HttpContext, SystemActor>()

/**
 * Returns a context for a command, which the operator of the server runs: no user is signed in, and policy, scope and
 * roles do not apply.
 *
 * @param command  name of the command, such as `crud:export`
 */
export async function operatorContext(command: string): Promise<HttpContext> {
  const ctx = await madeContext()
  OPERATORS.set(ctx, systemActor(command))
  return ctx
}

/** Returns the actor of a command; undefined for a request or a job, which have a signed-in user. */
export function operatorOf(ctx: HttpContext): SystemActor | undefined {
  return OPERATORS.get(ctx)
}
