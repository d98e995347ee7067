import { defineConfig, drivers } from '@adonisjs/core/hash'
import app from '@adonisjs/core/services/app'

const hashConfig = defineConfig({
  default: app.inTest ? 'quick' : 'scrypt',
  list: {
    /**
     * What OWASP asks for at the least. Each hash takes 128 MB while it is made or compared, for almost
     * half a second: `login.hashesAtOnce` of config/admin.ts says how many there may be. A hash with
     * lower costs is made anew when its owner signs in. `maxMemory` is more than one needs, or Node.js
     * would refuse to make it.
     */
    scrypt: drivers.scrypt({
      cost: 2 ** 17,
      blockSize: 8,
      parallelization: 1,
      maxMemory: 160 * 1024 * 1024,
    }),

    /** For tests, which make hundreds */
    quick: drivers.scrypt({
      cost: 2 ** 10,
      blockSize: 8,
      parallelization: 1,
      maxMemory: 160 * 1024 * 1024,
    }),
  },
})

export default hashConfig

declare module '@adonisjs/core/types' {
  export interface HashersList extends InferHashers<typeof hashConfig> {}
}
