import type { HttpContext, Router } from '@adonisjs/core/http'
import { markGenerated } from '../endpoints/generated_routes.js'
import { schemaPath } from '../openapi/schema_route.js'
import { crudConfig } from '../settings.js'
import { DocsPage } from './docs_page.js'

/** Path of the API page; undefined if the page is off or the schema is disabled. [Q1] */
export function docsPath(): string | undefined {
  const { docs } = crudConfig()
  return docs.enabled && schemaPath() ? docs.path : undefined
}

/**
 * Registers the routes of the page of the API.
 */
export function registerDocsRoutes(router: Router): void {
  const path = docsPath()
  if (!path) return
  const page = new DocsPage(path, schemaPath()!)
  const show = (ctx: HttpContext) => page.show(ctx)
  const asset = (ctx: HttpContext) => page.asset(ctx)
  for (const handler of [show, asset]) markGenerated(handler)
  router.get(path, show).as('docs')
  router.get(`${path}/:file`, asset).as('docs.asset')
}
