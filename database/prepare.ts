/*
 * The database of a web process that was started with --prepare: migrated, and outside production
 * filled with the demo data once.
 */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Exception } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { BaseSeeder } from '@adonisjs/lucid/seeders'
import type { Database } from '@adonisjs/lucid/database'
import { migrateDatabases, reasonOf } from '#admin/migrate_databases'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/**
 * Brings the database up to date. Runs in every environment: starting with --prepare is the consent
 * that `node ace migration:run` asks for in production.
 */
export async function prepareDatabase(app: ApplicationService) {
  await migrateDatabases(app)
  if (!app.inProduction) await seedDemo(await app.container.make('lucid.db'), app)
}

/**
 * The seeder is the demo's, not the application's: whoever deletes the file starts without it. It
 * knows itself whether it has already run.
 */
async function seedDemo(db: Database, app: ApplicationService) {
  const file = app.seedersPath(`demo_seeder${extname(import.meta.filename)}`)
  if (!existsSync(file)) return

  try {
    const { default: DemoSeeder } = (await import(pathToFileURL(file).href)) as {
      default: new (client: QueryClientContract) => BaseSeeder
    }
    await new DemoSeeder(db.connection()).run()
  } catch (error) {
    throw new Exception(
      `The demo data could not be written: ${reasonOf(error)}\nMend database/seeders/demo_seeder.ts, or delete it to start without the demo data.`,
      { code: 'E_RUNTIME', cause: error }
    )
  }
}
