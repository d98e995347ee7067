/*
 * Tests the engine without the application's own models and tables, which could clash with
 * fixtures.
 */
import type { ApplicationService } from '@adonisjs/core/types'

/** Call it before the application boots. */
export function leaveOutModels(app: ApplicationService) {
  app.booting(() => {
    Object.assign(app.rcFile.directories, {
      models: 'packages/atrium/tests/models',
      admin_pages: 'packages/atrium/tests/admin_pages',
      admin_cards: 'packages/atrium/tests/admin_cards',
    })
  })
}

/** Call it before the migrations run. */
export async function leaveOutMigrations() {
  const { default: db } = await import('@adonisjs/lucid/services/db')
  for (const { config } of db.manager.connections.values()) {
    const { migrations } = config
    if (!migrations?.paths) continue
    migrations.paths = migrations.paths.filter((path) => path.includes('atrium/migrations/'))
  }
}
