import app from '@adonisjs/core/services/app'
import env from '#start/env'
import { defineConfig } from '@adonisjs/core/http'
import { answerBadUrl } from '#host/node_server'

/**
 * Where people reach the application.
 */
export const appUrl = env.get('APP_URL')

/**
 * Further names that it is called by beside the host of APP_URL: `www.example.com`, or `*.example.com` for
 * all below. A request for any other is answered 421, but for `/health/*`. Outside of production this
 * machine's own names are served, too.
 */
export const hosts = (env.get('APP_HOSTS') ?? '').split(/[\s,]+/).filter(Boolean)

export const http = defineConfig({
  /**
   * Every answer carries an `x-request-id`, and so does every line of the log it caused.
   */
  generateRequestId: true,

  /**
   * Whose `X-Forwarded-*` headers are believed. Nobody's, unless TRUST_PROXY says otherwise: who may
   * choose their own address guesses passwords without end.
   */
  trustProxy: env.get('TRUST_PROXY') || false,

  /**
   * A form can't pretend to be another method: a POST is a POST.
   */
  allowMethodSpoofing: false,

  useAsyncLocalStorage: false,
  onBadUrl: answerBadUrl,

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
    path: '/',
    maxAge: '2h',
    httpOnly: true,
    secure: app.inProduction,
    sameSite: 'lax',
  },
})
