import app from '@adonisjs/core/services/app'
import env from '#start/env'
import { defineConfig } from '@adonisjs/core/http'
import { respondToBadUrl } from 'adonis-atrium/server'

/** Public address of the application. If it has a path, everything is served below that path. */
export const appUrl = env.get('APP_URL')

/**
 * Host names in addition to that of APP_URL: `www.example.com`, or `*.example.com` for all subdomains.
 * A request for any other host gets 421, except for `/health/*`. Outside of production this
 * machine's own names are served as well.
 */
export const hosts = (env.get('APP_HOSTS') ?? '').split(/[\s,]+/).filter(Boolean)

export const http = defineConfig({
  /** Every response has an `x-request-id`, which is also in its log lines. */
  generateRequestId: true,

  /**
   * Proxies whose `X-Forwarded-*` headers are trusted. None, unless TRUST_PROXY is set: a client that
   * can choose its own address can guess passwords without limit.
   */
  trustProxy: env.get('TRUST_PROXY') || false,

  /** A form cannot override its method: a POST is a POST. */
  allowMethodSpoofing: false,

  useAsyncLocalStorage: false,
  onBadUrl: respondToBadUrl,

  /**
   * Routes are looked up in a tree where the most specific pattern wins, whatever the order in
   * which they were registered: `/api/products/custom` before `/api/products/:id`.
   */
  router: { matcher: 'tree', precedence: 'specificity' },

  /**
   * A comma in a query value is a comma, not a list.
   */
  qs: { parse: { comma: false } },

  cookie: {
    domain: '',
    path: new URL(appUrl).pathname,
    maxAge: '2h',
    httpOnly: true,
    secure: app.inProduction,
    sameSite: 'lax',
  },
})
