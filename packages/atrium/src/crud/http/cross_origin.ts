import CorsMiddleware from '@adonisjs/cors/cors_middleware'
import type { HttpContext } from '@adonisjs/core/http'
import { RequestValue } from '#base/http/request'
import { crudConfig } from '../settings.js'
import type { CrudConfig } from '../define_config.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Headers of the endpoints that browsers hide from pages of other origins unless they are listed. */
const EXPOSED_HEADERS = [
  'Accept-Patch',
  'Allow',
  'Content-Encoding',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
  'X-Has-More',
  'X-Request-Id',
  'X-Total-Count',
  'X-Total-Is-Estimate',
]

/** Seconds for which a browser does not repeat a preflight */
const MAX_AGE = 600

/** Requests from pages of an allowed origin */
const ALLOWED = new RequestValue<{ credentials: boolean }>('allowed origin')

/**
 * Returns the method that a preflight requests permission for; undefined for any other request. A preflight is the
 * request that a browser sends before a page of another origin can call an endpoint.
 */
export function preflightMethod({ request }: HttpContext): string | undefined {
  if (request.request.method !== 'OPTIONS' || request.header('origin') === undefined)
    return undefined
  return request.header('access-control-request-method')
}

/**
 * True if pages of other origins can be allowed, and the request has an origin. Responses to requests without an origin
 * also have `Vary: Origin`, because a cache must not send them to a page of another origin.
 */
export function isFromOrigin({ request, response }: HttpContext): boolean {
  if (!isConfigured(crudConfig().cors)) return false
  response.vary('Origin')
  return request.header('origin') !== undefined
}

/**
 * Sets the CORS headers of a response to a request with an origin, also of an error that follows.
 *
 * @returns true if the request was a preflight, and the response is sent
 */
export async function allowCrossOrigin(ctx: HttpContext): Promise<boolean> {
  const { cors } = crudConfig()
  const origin = ctx.request.header('origin')!
  const isAllowed = allows(cors, origin)
  if (isAllowed) ALLOWED.set(ctx, cors)
  if (ctx.request.request.method === 'OPTIONS' && preflightMethod(ctx) === undefined) return false
  let isPreflight = true
  await middlewareFor(cors, isAllowed).handle(ctx, async () => {
    isPreflight = false
  })
  return isPreflight
}

/**
 * True if an allowed origin sent the request, so it is not forged.
 *
 * @param byCookies  true if the endpoint can accept cookies; those of an allowed origin count only with `credentials`
 */
export function isAllowedOrigin(ctx: HttpContext, byCookies = false): boolean {
  const cors = ALLOWED.get(ctx)
  return cors !== undefined && (!byCookies || cors.credentials)
}

function isConfigured({ origins }: CrudConfig['cors']): boolean {
  return typeof origins === 'function' || origins.length > 0
}

/** Only `true` allows an origin: a promise of an async function must not. */
function allows({ origins }: CrudConfig['cors'], origin: string): boolean {
  if (typeof origins === 'function') return origins(origin) === true
  return origins.includes('*') || origins.includes(origin)
}

function middlewareFor({ credentials }: CrudConfig['cors'], isAllowed: boolean): CorsMiddleware {
  return new CorsMiddleware({
    enabled: true,
    origin: isAllowed,
    methods: METHODS,
    headers: true,
    exposeHeaders: [...EXPOSED_HEADERS],
    credentials,
    maxAge: MAX_AGE,
  })
}
