import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/core/http'

export const appUrl = process.env.APP_URL

export const http = defineConfig({
  generateRequestId: true,
  allowMethodSpoofing: false,
  useAsyncLocalStorage: false,
  cookie: { path: '/', maxAge: '2h', httpOnly: true, secure: app.inProduction, sameSite: 'lax' },
})
