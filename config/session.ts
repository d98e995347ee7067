import env from '#start/env'
import app from '@adonisjs/core/services/app'
import { defineConfig, stores } from '@adonisjs/session'

/** Sessions of your own routes. The admin site does not use them: its logins and messages have cookies of their own. */
export default defineConfig({
  cookieName: 'adonis-session',
  clearWithBrowser: true,
  age: '2h',
  cookie: {
    path: new URL(env.get('APP_URL')).pathname,
    httpOnly: true,
    secure: app.inProduction,
    sameSite: 'lax',
  },
  store: 'cookie',
  stores: { cookie: stores.cookie() },
})
