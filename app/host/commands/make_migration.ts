import LucidMakeMigration from '@adonisjs/lucid/commands/make_migration'

/** Folders of the engine's own migrations */
const ENGINE = new Set(['app/crud/migrations', 'app/admin/migrations'])

/** Lucid's command, which would prompt for one of the folders: a migration of the application is never the engine's. */
export default class MakeMigration extends LucidMakeMigration {
  async prepare() {
    await super.prepare()
    const db = await this.app.container.make('lucid.db')
    const connection = db.getRawConnection(this.connection || db.primaryConnectionName)
    const folders = connection?.config.migrations?.paths?.filter((path) => !ENGINE.has(path))
    if (folders?.length === 1) this.folder ??= folders[0]
  }
}
