import { Router, type Server } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import { crudOptionsOf } from './decorator.js'
import { listed, RuntimeError } from './errors.js'
import { handleProblem } from './http/handle_problem.js'
import { modelFiles } from './lucid/model_files.js'
import { useRouter } from './mount/engine_router.js'
import { checkGroups } from './mount/group_check.js'
import { mountPart } from './mount/mounted_parts.js'
import { queryStrings } from './mount/query_strings.js'
import { prefixOf } from './endpoints/generated_routes.js'
import { publicWritesByDefault, undecided } from './endpoints/public_writes.js'
import { resources } from './resource/registry.js'
import { crudRouter } from './router.js'
import { reportFaults } from './report_faults.js'
import { unreadableFaults } from './lucid/unreadable_files.js'

/**
 * Reads the decorated models at boot and gives them their endpoints.
 */
export default class CrudProvider {
  constructor(protected app: ApplicationService) {}

  /** Makes the engine's router. Its routes are looked up in a tree, where `/custom` comes before `/:id`. [K4] */
  async boot() {
    const { container } = this.app
    const encryption = await container.make('encryption')
    const tree = { matcher: 'tree', precedence: 'specificity' } as const
    const router = new Router(this.app, encryption.use(), queryStrings, tree)
    useRouter(router)
    mountPart({ placeOf: prefixOf, handleError: handleProblem })

    const server = await container.make('server')
    const bootServer = server.boot.bind(server)
    /* The last step before the server listens: the routes of all providers and preloads are known. */
    server.boot = async () => {
      if (server.booted) return
      router.commit()
      checkGroups()
      await requireMount(server.getMiddlewareList())
      if (this.app.getEnvironment() === 'web') await resources.load()
      await bootServer()
    }
  }

  /**
   * Makes no query: this also runs for commands and for code generation, where the database may be
   * empty. On a server, `resources.load()` throws these errors together with those of the database, before it
   * listens. A command only warns, as it may be the one that fixes them, and finds them in `resources.faults`. [P2,
   * P9]
   */
  async start() {
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

/**
 * @param middleware  of the server
 * @throws RuntimeError  when the one that serves the engine is not among it
 */
export async function requireMount(
  middleware: ReturnType<Server['getMiddlewareList']>
): Promise<void> {
  const { default: MountMiddleware } = await import('./mount_middleware.js')
  for (const { reference } of middleware) {
    if (reference === MountMiddleware) return
    const loaded = await (reference as () => Promise<{ default?: unknown }>)()
    if (loaded.default === MountMiddleware) return
  }
  throw new RuntimeError(
    "start/kernel.ts: add () => import('#crud/mount_middleware') to server.use([...]), as its last entry. Without it nothing serves the endpoints and the admin site"
  )
}
