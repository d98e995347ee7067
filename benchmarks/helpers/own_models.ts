import type { ApplicationService } from '@adonisjs/core/types'
import rcFile from '../../adonisrc.js'

const MIGRATIONS = 'benchmarks/migrations'

/**
 * Has the application know the models of the benchmarks in place of those of `app/models`, and their
 * tables: what is measured is the same whatever becomes of the demo. Their endpoints are public, in
 * production too: what they are compared with asks for no token. To be called before it starts.
 */
export function useOwnModels(app: ApplicationService): void {
  const directories = { models: 'benchmarks/models', migrations: MIGRATIONS }
  app.rcContents({ ...rcFile, directories })
  app.booted(() => {
    app.config.set('crud.access', 'public')
    const connections: Record<string, { migrations?: { paths?: string[] } }> =
      app.config.get('database.connections')
    for (const { migrations } of Object.values(connections)) {
      if (!migrations?.paths) continue
      migrations.paths = migrations.paths.map((path) =>
        path === 'database/migrations' ? MIGRATIONS : path
      )
    }
  })
}
