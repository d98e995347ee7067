import app from '@adonisjs/core/services/app'
import { defineConfig, stores } from '@adonisjs/session'

/**
 * Session data between two pages: the admin site stores the message of an action for the next page. It
 * does not sign users in. Your own routes may use it, too.
 */
export default defineConfig({
  cookieName: 'atrium_flash',
  clearWithBrowser: true,
  age: '2h',
  cookie: {
    path: '/',
    httpOnly: true,
    secure: app.inProduction,
    sameSite: 'lax',
  },
  store: 'cookie',
  stores: { cookie: stores.cookie() },
})
