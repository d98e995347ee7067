import type { ApplicationService } from '@adonisjs/core/types'
import { crudOptionsOf } from './decorator.js'
import { withoutStack } from '#base/errors'
import { handleProblem } from './http/handle_problem.js'
import { modelFiles } from './lucid/model_files.js'
import { EngineRouter, useRouter } from '#base/http/engine_router'
import {
  checkGroups,
  replacedRoutes,
  replacementWarning,
  requireMount,
} from './mount/start_checks.js'
import { useEnginePaths } from '#base/http/base_path'
import { mountPart, mountedPrefixOf, queryStrings } from './mount/mounted_parts.js'
import { prefixOf } from './endpoints/generated_routes.js'
import { completeForms } from './operations/complete_forms.js'
import { accessWarnings } from './endpoints/public_writes.js'
import { resources, reportErrors } from './resource/registry.js'
import { traceOperations } from './lucid_crud.js'
import { crudRouter } from './router.js'
import { unreadableErrors } from '#base/application_files'

/** Reads the decorated models at boot and creates their endpoints. */
export default class CrudProvider {
  #isStopping = false
  /* The background read of all rows */
  #reading: Promise<void> | undefined

  constructor(protected app: ApplicationService) {}

  /** Creates the engine's router, which looks up routes in a tree: there, `/custom` precedes `/:id`. */
  async boot() {
    const { container } = this.app
    const encryption = await container.make('encryption')
    const tree = { matcher: 'tree', precedence: 'specificity' } as const
    const router = new EngineRouter(this.app, encryption.use(), queryStrings, tree)
    useRouter(router)
    useEnginePaths((path) => mountedPrefixOf(path) !== undefined)
    mountPart({ prefixOf, handleError: handleProblem })

    const server = await container.make('server')
    const bootServer = server.boot.bind(server)
    /* The last step before the server listens: by then, the routes of all providers and preloads are known. */
    server.boot = async () => {
      if (server.booted) return
      await withoutStack(async () => {
        router.commit()
        checkGroups()
        await requireMount(server.getMiddlewareList())
        if (this.app.getEnvironment() !== 'web') return
        /* If the load fails, the application is terminated, because open connections would keep the process running. */
        await resources.load().catch((error) => this.#giveUp(error))
      })
      if (this.app.getEnvironment() !== 'web') return await bootServer()
      await bootServer()
      /* A port in use ends the process. On the next tick, the server exists, and has not yet reported the error. */
      process.nextTick(() => server.getNodeServer()?.once('error', () => void this.app.terminate()))
    }
  }

  async #giveUp(error: unknown): Promise<never> {
    await this.app.terminate()
    throw error
  }

  /**
   * Creates the endpoints of all decorated models. Runs no queries, because this method also runs for commands and code
   * generation, when the database can be empty. On a server, `resources.load()` throws the errors found here together
   * with those of the database, before it listens. A command continues, because it could be the one that fixes the
   * errors, and finds them in `resources.errors`.
   */
  async start() {
    const errors: Error[] = []
    await traceOperations()
    const seen = new Set<unknown>()
    const files = await modelFiles(this.app)
    const unreadable = files.filter((file) => 'error' in file)
    errors.push(...unreadableErrors(unreadable, (path) => this.app.relativePath(path)))

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

    reportErrors(errors, this.app)
  }

  /**
   * Warns about routes of the engine that the application replaces, about models with a read-only table, about models
   * that are publicly writable by default, and about models that require a token because no access is configured. Also
   * starts the background read of all rows.
   */
  async ready() {
    if (this.app.getEnvironment() !== 'web') return
    const logger = await this.app.container.make('logger')
    const replaced = replacementWarning(replacedRoutes())
    if (replaced) logger.warn(replaced)
    for (const { readOnlyNote } of resources.endpoints())
      if (readOnlyNote) logger.warn(readOnlyNote)
    this.#reading = completeForms(resources.known(), () => this.#isStopping)
    if (!this.app.inProduction) return
    for (const { models, text } of accessWarnings(resources.endpoints()))
      logger.warn({ models }, text)
  }

  /** Waits for the end of the background work that `ready` started. */
  async shutdown() {
    this.#isStopping = true
    await this.#reading
  }
}
