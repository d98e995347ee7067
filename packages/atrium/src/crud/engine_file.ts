import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import app from '@adonisjs/core/services/app'

/**
 * Absolute path of a file that the engine brings with it. `build/` has the folders of `src/`, so that the way is the same.
 * This is the only module that knows where they are.
 *
 * @param path  as in `assets/admin/admin.css`
 */
export function engineFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/**
 * One of the engine's folders of migrations, as `paths` of a connection's migrations in config/database.ts names it:
 * below the root of the application, with slashes.
 */
export function migrationsPath(part: 'crud' | 'admin'): string {
  const folder = import.meta.filename.endsWith('.ts') ? 'migrations' : 'build/migrations'
  return app.relativePath(engineFile(`${folder}/${part}`)).replaceAll('\\', '/')
}

/**
 * Migrations that have not run. The engine's are compared by the names of their files, as a database may have been migrated
 * by the sources of the engine and be used by its build. [K7]
 *
 * @param wanted  names of migrations as Lucid makes them, with their folders
 * @param done    those that have run
 */
export function pendingMigrations(wanted: readonly string[], done: readonly string[]): string[] {
  const names = new Set(done)
  const files = new Set(done.map((name) => posix.basename(name)))
  const folders = [migrationsPath('crud'), migrationsPath('admin')]
  const isEngine = (name: string) => folders.includes(posix.dirname(name))
  return wanted.filter((name) =>
    isEngine(name) ? !files.has(posix.basename(name)) : !names.has(name)
  )
}
