import { Command, CommandFailure } from '#crud/commands/command'

/** Runs the migrations of the application's database, and of the admin site's database if it is a separate one. */
export default class Migrate extends Command {
  static commandName = 'migrate'
  static description =
    "Run pending migrations of the application's and the admin site's databases (instead of migration:run)"

  async run() {
    const { migrateDatabases } = await import('../migrate_databases.js')
    await migrateDatabases(this.app)
    await this.#generateSchema()
  }

  /** Writes `database/schema.ts`, like migration:run. */
  async #generateSchema() {
    const db = await this.app.container.make('lucid.db')
    const { schemaGeneration } = db.getRawConnection(db.primaryConnectionName)!.config
    if (this.app.inProduction || schemaGeneration?.enabled === false) return
    const { error, exitCode } = await this.kernel.exec('schema:generate', ['--compact-output'])
    if (exitCode) throw error ?? new CommandFailure('database/schema.ts could not be written')
  }
}
