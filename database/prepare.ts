/*
 * The database of a web process that was started with --prepare.
 */
import type { ApplicationService } from '@adonisjs/core/types'
import { migrateDatabases } from '#host/migrate_databases'
import { seedDemo } from '#database/seed_demo'

/**
 * Brings the database up to date. Runs in every environment: starting with --prepare is the consent
 * that `node ace migration:run` asks for in production.
 */
export async function prepareDatabase(app: ApplicationService) {
  await migrateDatabases(app)
  await seedDemo(app)
}
