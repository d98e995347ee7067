import type { ApplicationService } from '@adonisjs/core/types'
import { crudOptionsOf } from './decorator.js'
import { ConfigurationError, listed } from './errors.js'
import { modelFiles } from './lucid/model_files.js'
import { publicWritesByDefault, undecided } from './endpoints/public_writes.js'
import { resources } from './resource/registry.js'
import { crudRouter } from './router.js'
import { reportFaults } from './report_faults.js'
import { unreadableFaults } from './lucid/unreadable_files.js'
import { compareData } from '#upstream/lucid_dirty_data'
import { shareTransactionEnds } from '#upstream/lucid_record_transactions'

/**
 * Reads the decorated models at boot and gives them their endpoints.
 */
export default class CrudProvider {
  constructor(protected app: ApplicationService) {}

  /**
   * Makes no query: this also runs for commands and for code generation, where the database may be
   * empty. On a server, `resources.load()` throws these errors together with those of the database. A
   * command only warns, as it may be the one that fixes them, and finds them in `resources.faults`. [P2,
   * P9]
   */
  async start() {
    compareData()
    shareTransactionEnds()
    const errors: Error[] = []
    const seen = new Set<unknown>()
    const files = await modelFiles(this.app)
    const unreadable = files.filter((file) => 'error' in file)
    errors.push(...unreadableFaults(unreadable, (path) => this.app.relativePath(path)))

    for (const file of files) {
      if ('error' in file) continue
      for (const model of file.exported) {
        if (typeof model !== 'function' || seen.has(model)) continue
        seen.add(model)
        try {
          const options = crudOptionsOf(model)
          if (options) crudRouter({ ...options, model: model as any })
        } catch (error) {
          errors.push(error as Error)
        }
      }
    }

    reportFaults(errors, this.app)
  }

  /**
   * Warns of models whose table can only be read, of models that are publicly writable by default, and of
   * models closed for lack of a decision about access. [P10]
   */
  async ready() {
    if (this.app.getEnvironment() !== 'web') return
    /* For an application that does not load the resources before it listens */
    if (resources.untold.length > 0) throw new ConfigurationError(resources.untold.splice(0))
    const logger = await this.app.container.make('logger')
    for (const { readOnlyNote } of resources.endpoints())
      if (readOnlyNote) logger.warn(readOnlyNote)
    if (!this.app.inProduction) return
    const closed = undecided(resources.endpoints())
    const models = publicWritesByDefault(resources.endpoints())
    if (closed.length + models.length === 0) return
    if (closed.length > 0) {
      logger.warn(
        { models: closed },
        `Nobody has decided who may call ${listed(closed)}: in production the endpoints want an access token (node ace admin:token). access: 'public' in @Crud opens those of a model to everybody, access: 'token' there leaves it so; access in config/crud.ts decides for all`
      )
    }
    if (models.length === 0) return
    logger.warn(
      { models },
      `Anybody may write ${listed(models)} through the endpoints, as only the default of config/crud.ts says who may; say access: 'token' there or in @Crud, or access: 'public' in @Crud where that is meant`
    )
  }
}
