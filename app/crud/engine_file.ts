import { fileURLToPath } from 'node:url'
import app from '@adonisjs/core/services/app'

/**
 * Absolute path of a file that the engine brings with it. `resources` and `stubs` are next to `app` in the production
 * build, too. This is the only module that knows where they are.
 *
 * @param path  as in `resources/assets/admin/admin.css`
 */
export function engineFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/**
 * One of the engine's folders of migrations, as `paths` of a connection's migrations in config/database.ts names it:
 * below the root of the application, with slashes.
 */
export function migrationsPath(part: 'crud' | 'admin'): string {
  return app.relativePath(engineFile(`app/${part}/migrations`)).replaceAll('\\', '/')
}
