import { defineConfig } from '@adonisjs/core/bodyparser'

/**
 * For the application's own routes. Endpoints and admin site have their own limits: `body` of
 * `config/crud.ts`, `forms` of `config/admin.ts`.
 */
export default defineConfig({
  allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  form: { convertEmptyStringsToNull: true, trimWhitespaces: true },
  json: { convertEmptyStringsToNull: false, trimWhitespaces: false },
  multipart: { autoProcess: true, limit: '20mb' },
})
