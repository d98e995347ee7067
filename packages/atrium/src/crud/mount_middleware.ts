import type { IncomingMessage } from 'node:http'
import '@adonisjs/auth/initialize_auth_middleware'
import { errors, type HttpContext, type Router } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import hostRouter from '@adonisjs/core/services/router'
import type { ContainerBindings } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { addBase, missingBase, warnOfPrefix, withoutBase } from '#base/http/base_path'
import { engineRouter } from '#base/http/engine_router'
import { meterRequest } from '#base/http/request_meter'
import { finishResponse } from './http/finish_response.js'
import { allowCrossOrigin, isFromOrigin, preflightMethod } from './http/cross_origin.js'
import {
  reportError,
  mountedPrefixOf,
  respondToError,
  queryStrings,
  isMoreSpecific,
  isOfEndpoints,
} from './mount/mounted_parts.js'

/**
 * Serves the paths of the engine: the endpoints, their schema and documentation page, and the admin site. All other
 * paths, and those that match a more specific route of the application, are passed to the application. Must be the last
 * entry of `server.use` in start/kernel.ts: middleware before it also applies to the engine.
 */
export default class MountMiddleware {
  async handle(ctx: HttpContext, next: NextFn): Promise<unknown> {
    const { request } = ctx
    meterRequest(ctx)
    warnOfPrefix(ctx)
    const base = missingBase(ctx)
    const path = base + (request.parsedUrl.pathname ?? '/')
    const asked = preflightMethod(ctx)
    const own = match(engineRouter(), ctx, asked ?? request.intended(), base)
    const pattern = own ? own.route.pattern : mountedPrefixOf(path)
    if (pattern === undefined) return await next()
    const hosts = match(hostRouter, ctx, asked ?? request.method())
    if (hosts && !isMoreSpecific(withoutBase(pattern), hosts.route.pattern)) return await next()

    addBase(ctx, base)
    const called = asked === undefined ? own : null
    if (!(own ? isEndpoint(own.route) : isOfEndpoints(path))) return await respond(ctx, called)
    if (!isFromOrigin(ctx) || !(await isPreflightSent(ctx))) await respond(ctx, called)
    await finishResponse(ctx)
  }
}

const ENDPOINTS = new WeakMap<object, boolean>()

/** True for a route of the endpoints or the API schema. Stored, as the path of a route does not change. */
function isEndpoint(route: { pattern: string }): boolean {
  let known = ENDPOINTS.get(route)
  if (known === undefined) ENDPOINTS.set(route, (known = isOfEndpoints(route.pattern)))
  return known
}

/** Sets the CORS headers; returns true if that was the whole response, or an error was sent. */
async function isPreflightSent(ctx: HttpContext): Promise<boolean> {
  try {
    return await allowCrossOrigin(ctx)
  } catch (error) {
    await handleError(error, ctx)
    return true
  }
}

let manager: ContainerBindings['auth.manager'] | undefined

/**
 * Calls the route, or responds that there is none. The context has an authenticator, because policies, scopes and
 * middleware of the application can check its guards for the user.
 */
async function respond(ctx: HttpContext, own: ReturnType<typeof match>): Promise<unknown> {
  const { request } = ctx
  /* The application can enable method overrides by forms; they do not apply to routes of the engine. */
  request.method = request.intended
  const { query } = request.parsedUrl
  if (query) request.updateQs(queryStrings.parse(query))
  restoreAccept(request.request)
  if (!own) {
    return await handleError(new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()]), ctx)
  }
  if (app.container.hasBinding('auth.manager')) {
    manager ??= await app.container.make('auth.manager')
    ctx.auth ??= manager.createAuthenticator(ctx)
  }
  const { route } = own
  ctx.params = own.params
  ctx.subdomains = own.subdomains
  ctx.route = route
  ctx.routeKey = own.routeKey
  return await route.execute(route, ctx.containerResolver, ctx, handleError)
}

function match(router: Router, { request }: HttpContext, method: string, base = '') {
  const { shouldDecodeParam } = request.parsedUrl as { shouldDecodeParam: boolean }
  const hostname = router.usingDomains ? request.hostname() : null
  return router.match(base + request.url(), method, shouldDecodeParam, hostname)
}

/** Restores the `Accept` header. The starter kit for APIs changes it to JSON for every request, but pages need HTML. */
function restoreAccept({ headers, rawHeaders }: IncomingMessage): void {
  const sent: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name.length === 6 && name.toLowerCase() === 'accept') sent.push(rawHeaders[index + 1])
  }
  headers.accept = sent.length > 0 ? sent.join(', ') : undefined
}

async function handleError(thrown: unknown, ctx: HttpContext): Promise<void> {
  const error = thrown ?? new Error(String(thrown))
  await reportError(error, ctx)
  await respondToError(error, ctx)
}
