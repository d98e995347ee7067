import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApplicationService } from '@adonisjs/core/types'
import { freePort } from '#tests/helpers/free_port'

const APP_ROOT = new URL('../../', import.meta.url)

export interface RunningApplication {
  app: ApplicationService
  stop(): Promise<void>
}

/**
 * What the application's environment is in every benchmark: as in production, where templates are
 * compiled once and kept, and silent.
 */
export function environment(variables: Record<string, string>): Record<string, string> {
  return {
    TZ: 'UTC',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    APP_URL: 'http://localhost',
    APP_HOSTS: '127.0.0.1',
    APP_KEY: 'only-for-benchmarks-0123456789abcd',
    LOG_LEVEL: 'silent',
    ...variables,
  }
}

/**
 * A folder for a benchmark's files, and how to be rid of it.
 */
export function scratchFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Starts the application in this process, on a port of its own.
 *
 * @param database  what it is told of its database; without, it is an empty SQLite file
 */
export async function startApplication(
  database?: Record<string, string>
): Promise<RunningApplication> {
  const folder = scratchFolder()
  const PORT = String(await freePort())
  const DB_DATABASE = join(folder.path, 'db.sqlite3')
  Object.assign(
    process.env,
    environment({ PORT, ...(database ?? { DB_CONNECTION: 'sqlite', DB_DATABASE }) })
  )

  await import('reflect-metadata')
  const { Ignitor } = await import('@adonisjs/core')
  const { createNodeServer } = await import('#host/node_server')
  const { useOwnModels } = await import('./own_models.js')
  const ignitor = new Ignitor(APP_ROOT, {
    importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
  })
  let application: ApplicationService
  await ignitor
    .tap((app) => {
      application = app
      useOwnModels(app)
      app.booting(async () => void (await import('#start/env')))
      app.starting(async () => {
        const { migrateDatabases } = await import('#host/migrate_databases')
        await migrateDatabases(app)
      })
    })
    .httpServer()
    .start(createNodeServer)

  return {
    app: application!,
    async stop() {
      await application.terminate()
      folder.remove()
    },
  }
}
