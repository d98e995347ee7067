import { flags } from '@adonisjs/core/ace'
import { ask, Command, CommandFailure } from '#crud/commands/command'

/** Removes the tables of the engine with their data. */
export default class Uninstall extends Command {
  static commandName = 'atrium:uninstall'
  static description = 'Remove the tables of Atrium from the database, with their data'
  static help = [
    'Those of the application stay. Stop the server first, and remove the package afterwards.',
  ]

  @flags.boolean({ description: 'Remove them without asking, and in production' })
  declare force: boolean

  async run() {
    const { engineTablesOf, removeEngineTables } = await import('../engine_migrations.js')
    const { AdminSite } = await import('#admin')
    const db = await this.app.container.make('lucid.db')
    const { dbConfig } = await this.app.container.make(AdminSite)
    const names = [...new Set([dbConfig.adminConnection, dbConfig.applicationConnection])]
    const tablesOfEach = await Promise.all(names.map((name) => engineTablesOf(db, name)))
    const tables = tablesOfEach.flat()
    if (!this.force) await this.#confirm(tables)
    for (const name of names) await removeEngineTables(db, this.app, name)
    this.logger.success(`Removed tables of Atrium: ${tables.length}`)
    this.logger.log(
      'Next: remove its decorators and imports, its lines in adonisrc.ts and start/kernel.ts, config/crud.ts and config/admin.ts, and the folder of uploaded files; then npm uninstall adonis-atrium'
    )
  }

  async #confirm(tables: readonly string[]) {
    if (this.app.inProduction || !this.canAsk) {
      const reason = this.app.inProduction ? 'This is production' : 'This is not a terminal'
      throw new CommandFailure(`${reason}: give --force to remove the tables with their data`)
    }
    this.print(tables.join(', '))
    const question = `Remove these ${tables.length} tables and all of their data for good?`
    if (!(await ask(() => this.prompt.confirm(question)))) {
      throw new CommandFailure('No table was removed')
    }
  }
}
