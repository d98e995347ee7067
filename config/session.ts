import app from '@adonisjs/core/services/app'
import { defineConfig, stores } from '@adonisjs/session'

/** Sessions of your own routes. The admin site does not use them: its logins and messages have cookies of their own. */
export default defineConfig({
  cookieName: 'adonis-session',
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
