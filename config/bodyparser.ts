import { defineConfig } from '@adonisjs/core/bodyparser'

/**
 * For the application's own routes. Generated endpoints read their bodies themselves, by the rules
 * of `config/crud.ts`.
 */
export default defineConfig({
  allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  form: { convertEmptyStringsToNull: true, trimWhitespaces: true },
  json: { convertEmptyStringsToNull: false, trimWhitespaces: false },
  multipart: { autoProcess: true, limit: '20mb' },
})
