import type { ApplicationService } from '@adonisjs/core/types'
import rcFile from '../../../../adonisrc.js'

const MIGRATIONS = 'packages/atrium/benchmarks/migrations'

/**
 * Replaces the models and migrations of the application by those of the benchmarks, so that
 * measurements do not depend on the demo. Their endpoints are public, also in production, as the
 * other contenders require no token. Call it before the application starts.
 */
export function useOwnModels(app: ApplicationService): void {
  const directories = { models: 'packages/atrium/benchmarks/models', migrations: MIGRATIONS }
  app.rcContents({ ...rcFile, directories })
  app.booted(() => {
    app.config.set('crud.access', 'public')
    /* Options that cost each request something are on. */
    app.config.set('crud.cors.origins', ['https://shop.example.com'])
    app.config.set('admin.metrics', { addresses: ['127.0.0.1'] })
    /* Receivers of webhooks are on this machine. */
    app.config.set('admin.webhooks', { allowPrivate: true })
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
