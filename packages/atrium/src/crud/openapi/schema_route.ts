import type { HttpContext, Router } from '@adonisjs/core/http'
import { rateLimit } from '../http/rate_limit.js'
import { markGenerated } from '../endpoints/generated_routes.js'
import type { ResourceRegistry } from '../resource/registry.js'
import { crudConfig } from '../settings.js'
import type { ServedSchema } from './served_schema.js'

/** Returns the path of the API schema; undefined if it is off. */
export function schemaPath(): string | undefined {
  const { openapi, prefix } = crudConfig()
  return openapi.enabled ? `${prefix}/openapi.json` : undefined
}

/**
 * Registers the route of the API schema, if it is on. Its errors are returned as problems, like all errors below the
 * prefix.
 */
export function registerSchemaRoute(router: Router, resources: ResourceRegistry): void {
  const path = schemaPath()
  if (!path) return
  let served: Promise<ServedSchema> | undefined
  const load = async () => {
    const { ServedSchema: Served } = await import('./served_schema.js')
    return new Served(resources)
  }
  const handler = async (ctx: HttpContext) => {
    const schema = await (served ??= load())
    return await schema.show(ctx)
  }
  markGenerated(handler)
  router.get(path, handler).as('openapi').use(rateLimit)
}
