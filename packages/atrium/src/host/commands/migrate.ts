import { Command } from '#crud/commands/command'

/** Runs the migrations of both databases, if the admin's tables have one of their own. [B1] */
export default class Migrate extends Command {
  static commandName = 'migrate'
  static description =
    "Run pending migrations of the application's and the admin site's databases (instead of migration:run)"

  async run() {
    const { migrateDatabases } = await import('../migrate_databases.js')
    await migrateDatabases(this.app)
  }
}
