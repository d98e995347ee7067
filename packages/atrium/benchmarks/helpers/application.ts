import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApplicationService } from '@adonisjs/core/types'
import { freePort } from '#tests/helpers/free_port'

export interface RunningApplication {
  app: ApplicationService
  stop(): Promise<void>
}

/**
 * Environment variables of the measured application: those of production, without a log.
 *
 * @param variables  replace or extend them
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
    /* For the contenders too: none has to write more safely than another. */
    DB_SYNCHRONOUS: process.env.DB_SYNCHRONOUS || 'full',
    ...variables,
  }
}

/** Creates a temporary directory, with a function that removes it. */
export function scratchFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Starts the application in this process, on its own port.
 *
 * @param database  environment variables of its database; default: an empty SQLite file
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

  /* These modules read the environment when they are imported. */
  const { createNodeServer } = await import('#host/node_server')
  const { createIgnitor } = await import('./ignitor.js')
  const { useOwnModels } = await import('./own_models.js')
  let application: ApplicationService
  await createIgnitor((app) => {
    application = app
    useOwnModels(app)
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
