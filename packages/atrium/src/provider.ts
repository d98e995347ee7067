import type { ApplicationService } from '@adonisjs/core/types'
import type { ContainerProviderContract } from '@adonisjs/core/types/app'
import AdminProvider from '#admin/admin_provider'
import CrudProvider from '#crud/crud_provider'
import OpenApiProvider from '#crud/openapi/openapi_provider'
import { withoutStack } from '#base/errors'
import { addEngineMigrations, renameEngineMigrations } from '#host/engine_migrations'

/**
 * Provider of the engine: endpoints, their schema and documentation page, the admin site, and their tables. Must be in
 * `providers` of adonisrc.ts, after those of Lucid and `@adonisjs/auth`.
 */
export default class AtriumProvider {
  readonly #parts: ContainerProviderContract[]

  constructor(protected app: ApplicationService) {
    this.#parts = [new CrudProvider(app), new OpenApiProvider(app), new AdminProvider(app)]
  }

  register() {
    for (const part of this.#parts) withoutStack(() => part.register?.())
  }

  async boot() {
    for (const part of this.#parts) await withoutStack(async () => part.boot?.())
    await this.#bootMigrations()
  }

  async start() {
    for (const part of this.#parts) await withoutStack(async () => part.start?.())
  }

  async ready() {
    for (const part of this.#parts) await withoutStack(async () => part.ready?.())
  }

  async shutdown() {
    for (const part of this.#parts) await part.shutdown?.()
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
