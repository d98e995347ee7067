import { AdminCommand } from '#admin/commands/admin_command'

/**
 * Migrates both databases at once, where the admin's tables have one of their own. [B1]
 */
export default class Migrate extends AdminCommand {
  static commandName = 'migrate'
  static description = "Run pending migrations of the application's and the admin site's databases"

  async run() {
    const { migrateDatabases } = await import('../migrate_databases.js')
    await migrateDatabases(this.app)
  }
}
