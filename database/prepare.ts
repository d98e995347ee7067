/*
 * The database of a web process that was started with --prepare.
 */
import { Exception } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import { DEMO_TABLES } from '#database/demo_files'
import { migrateDatabases } from 'adonis-atrium/server'
import { seedDemo } from '#database/seed_demo'

/**
 * Brings the database up to date. Runs in every environment: starting with --prepare is the consent
 * that `node ace migration:run` asks for in production.
 */
export async function prepareDatabase(app: ApplicationService) {
  await migrateDatabases(app).catch((error) => {
    throw demoCollision(error) ?? error
  })
  await seedDemo(app)
}

/** The database of another application may have tables with names of the demo's. */
function demoCollision(error: unknown): Error | undefined {
  const { code, tables: existing = [] } = error as { code?: string; tables?: string[] }
  if (code !== 'E_EXISTING_TABLES') return undefined
  const tables = existing.filter((table) => Object.hasOwn(DEMO_TABLES, table))
  if (tables.length === 0) return undefined
  return new Exception(
    `The database has tables already that the demo would create: ${tables.join(', ')}. Nothing was written. Start without the demo: DEMO=false npm start, and write DEMO=false into .env`,
    { code: 'E_RUNTIME', cause: error }
  )
}
