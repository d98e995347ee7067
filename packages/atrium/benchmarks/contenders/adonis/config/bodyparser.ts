import { defineConfig } from '@adonisjs/core/bodyparser'

export default defineConfig({
  allowedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  form: { convertEmptyStringsToNull: true },
  json: { convertEmptyStringsToNull: true },
  multipart: { autoProcess: true, limit: '20mb' },
})
