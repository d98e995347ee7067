import app from '@adonisjs/core/services/app'
import { defineConfig, stores } from '@adonisjs/session'

/**
 * What is kept between two pages: the admin site puts into it what an action did, for the next page to
 * say. Nobody is signed in by it. Your own routes may use it, too.
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
