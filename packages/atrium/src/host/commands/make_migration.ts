import LucidMakeMigration from '@adonisjs/lucid/commands/make_migration'

/**
 * Lucid's command without the folders of the engine, so that it does not prompt for one of them: a migration of the
 * application never belongs to the engine.
 */
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
