import { defineConfig, drivers } from '@adonisjs/core/hash'

/** For passwords of your own models. The admin site hashes those of its users by itself. */
const hashConfig = defineConfig({
  default: 'scrypt',
  list: {
    /** OWASP's minimum. Each hash takes 128 MB while it is computed or compared, for almost half a second */
    scrypt: drivers.scrypt({
      cost: 2 ** 17,
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
