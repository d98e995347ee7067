import { defineConfig } from '@adonisjs/auth'
import type { InferAuthenticators } from '@adonisjs/auth/types'
import { adminGuard, apiGuard } from 'adonis-atrium/admin'

const authConfig = defineConfig({
  default: 'admin',
  guards: {
    /** Admin users, signed in by cookies */
    admin: adminGuard(),

    /** Programs, by access token */
    api: apiGuard(),
  },
})

export default authConfig

declare module '@adonisjs/auth/types' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}
