import type { ApplicationService } from '@adonisjs/core/types'

/** Configuration files that the site read in earlier versions, and what their own packages bind */
const BINDINGS = {
  drive: 'drive.manager',
  i18n: 'i18n',
  limiter: 'limiter.manager',
  redis: 'redis',
}

/**
 * Configuration files that nothing reads any more: those of earlier versions whose packages the application does not use
 * itself. [K3]
 */
export function unreadFiles({
  config,
  container,
}: Pick<ApplicationService, 'config' | 'container'>): string[] {
  return Object.entries(BINDINGS)
    .filter(([name, binding]) => config.has(name) && !container.hasBinding(binding))
    .map(([name]) => `config/${name}.ts`)
}
