import { defineConfig } from '@adonisjs/auth'
import type { InferAuthenticators } from '@adonisjs/auth/types'
import { adminGuard } from '#admin'

const authConfig = defineConfig({
  default: 'admin',
  guards: {
    admin: adminGuard(),
  },
})

export default authConfig

declare module '@adonisjs/auth/types' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}
