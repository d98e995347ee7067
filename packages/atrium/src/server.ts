/*
 * Server of an application that consists mainly of the engine; optional for all others. Files such as start/env.ts
 * import this module before the application exists.
 */
import type { ApplicationService } from '@adonisjs/core/types'

export { checkAppKey } from '#admin/authentication/app_key'
export { generateIndexes } from '#host/generate_indexes'
export { respondToBadUrl, createNodeServer } from '#host/node_server'
export { stopOnSignal } from '#host/stop_on_signal'
export { checkTrustedProxy } from '#host/trusted_proxy'

/**
 * Runs all pending migrations: those of the application's database, and those of the admin site's tables if
 * config/admin.ts sets another connection for them. If several processes run concurrently, one migrates and the others
 * wait.
 *
 * @throws E_EXISTING_TABLES  when the database has tables that the migrations would create
 * @throws Exception  E_RUNTIME when a migration fails
 */
export async function migrateDatabases(app: ApplicationService): Promise<void> {
  const module = await import('#host/migrate_databases')
  await module.migrateDatabases(app)
}
