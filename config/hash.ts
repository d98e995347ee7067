import { defineConfig, drivers } from '@adonisjs/core/hash'
import app from '@adonisjs/core/services/app'

const hashConfig = defineConfig({
  default: app.inTest ? 'quick' : 'scrypt',
  list: {
    /**
     * OWASP's minimum. Each hash takes 128 MB while it is computed or compared, for almost half a
     * second: `login.hashesAtOnce` of config/admin.ts limits their number. A hash with lower costs is
     * replaced when its owner signs in. `maxMemory` is more than one needs, or Node.js would refuse to
     * compute it.
     */
    scrypt: drivers.scrypt({
      cost: 2 ** 17,
      blockSize: 8,
      parallelization: 1,
      maxMemory: 160 * 1024 * 1024,
    }),

    /** For tests, which compute hundreds */
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
