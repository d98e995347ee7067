import type { Router } from '@adonisjs/core/http'
import { rateLimit } from '../http/rate_limit.js'
import { markGenerated } from '../endpoints/generated_routes.js'
import type { ResourceRegistry } from '../resource/registry.js'
import { crudConfig } from '../settings.js'
import { ServedSchema } from './served_schema.js'

/** Path of the API schema; undefined if it is off. [Q1] */
export function schemaPath(): string | undefined {
  const { openapi, prefix } = crudConfig()
  return openapi.enabled ? `${prefix}/openapi.json` : undefined
}

/**
 * Registers the route of the API schema, if it is on. Its errors are problems, as below the whole
 * prefix.
 */
export function registerSchemaRoute(router: Router, resources: ResourceRegistry): void {
  const path = schemaPath()
  if (!path) return
  const served = new ServedSchema(resources)
  const handler = (ctx: Parameters<ServedSchema['show']>[0]) => served.show(ctx)
  markGenerated(handler)
  router.get(path, handler).as('openapi').use(rateLimit)
}
