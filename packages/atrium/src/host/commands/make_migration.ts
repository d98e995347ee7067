import LucidMakeMigration from '@adonisjs/lucid/commands/make_migration'

/** Lucid's command, which would prompt for one of the folders: a migration of the application is never the engine's. */
export default class MakeMigration extends LucidMakeMigration {
  async prepare() {
    await super.prepare()
    const db = await this.app.container.make('lucid.db')
    const connection = db.getRawConnection(this.connection || db.primaryConnectionName)
    const { migrationsPath } = await import('#base/engine_file')
    const engine = [migrationsPath('crud'), migrationsPath('admin')]
    const folders = connection?.config.migrations?.paths?.filter((path) => !engine.includes(path))
    if (folders?.length === 1) this.folder ??= folders[0]
  }
}
