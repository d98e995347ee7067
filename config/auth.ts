import { defineConfig } from '@adonisjs/auth'
import type { InferAuthenticators } from '@adonisjs/auth/types'
import { adminGuard, apiGuard } from '#admin'

const authConfig = defineConfig({
  default: 'admin',
  guards: {
    /** Who is signed in to the admin site, by cookies */
    admin: adminGuard(),

    /** Whose access token a program sends */
    api: apiGuard(),
  },
})

export default authConfig

declare module '@adonisjs/auth/types' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}
