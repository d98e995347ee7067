import type { ApplicationService } from '@adonisjs/core/types'
import AdminProvider from '#admin/admin_provider'
import CrudProvider from '#crud/crud_provider'
import OpenApiProvider from '#crud/openapi/openapi_provider'
import { addEngineMigrations, renameEngineMigrations } from '#host/engine_migrations'

/**
 * The engine in an application: endpoints, their document and page, the admin site, and their tables. For `providers`
 * of adonisrc.ts, behind those of Lucid and of `@adonisjs/auth`.
 */
export default class AtriumProvider {
  readonly #crud: CrudProvider
  readonly #openapi: OpenApiProvider
  readonly #admin: AdminProvider

  constructor(protected app: ApplicationService) {
    this.#crud = new CrudProvider(app)
    this.#openapi = new OpenApiProvider(app)
    this.#admin = new AdminProvider(app)
  }

  register() {
    this.#admin.register()
  }

  async boot() {
    await this.#crud.boot()
    await this.#bootMigrations()
  }

  async start() {
    await this.#crud.start()
    await this.#openapi.start()
    await this.#admin.start()
  }

  async ready() {
    await this.#crud.ready()
    await this.#admin.ready()
  }

  async shutdown() {
    await this.#admin.shutdown()
  }

  async #bootMigrations() {
    const db = await this.app.container.make('lucid.db')
    addEngineMigrations(db, this.app.config.get('admin.adminConnection'))
    if (this.app.getEnvironment() === 'web') return
    const ace = await this.app.container.make('ace')
    ace.executing(async (command: { commandName: string; connection?: string }) => {
      if (!command.commandName.startsWith('migration:')) return
      await renameEngineMigrations(db, command.connection ?? db.primaryConnectionName)
    })
  }
}
