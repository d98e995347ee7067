import type { ApplicationService } from '@adonisjs/core/types'
import { registerDocsRoutes } from '../docs/docs_page.js'
import { engineRouter } from '#base/http/engine_router'
import { resources } from '../resource/registry.js'
import { registerSchemaRoute } from './schema_route.js'

/** Registers the routes of the API schema and its documentation page. */
export default class OpenApiProvider {
  constructor(protected app: ApplicationService) {}

  async start() {
    const router = engineRouter()
    registerSchemaRoute(router, resources)
    registerDocsRoutes(router)
  }
}
