import type { ApplicationService } from '@adonisjs/core/types'
import { registerDocsRoutes } from '../docs/docs_routes.js'
import { resources } from '../resource/registry.js'
import { registerSchemaRoute } from './schema_route.js'

/**
 * Gives the API its schema, and the page to read it. [Q1]
 */
export default class OpenApiProvider {
  constructor(protected app: ApplicationService) {}

  async start() {
    const router = await this.app.container.make('router')
    registerSchemaRoute(router, resources)
    registerDocsRoutes(router)
  }
}
