import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { isGeneratedRoute } from './generated_routes.js'

/**
 * AdonisJS's own body parser for the application's routes. Generated endpoints read their bodies
 * themselves, once they know that the caller may call: types are kept there, limits are theirs.
 */
@inject()
export default class ApplicationBodyParserMiddleware {
  constructor(private readonly parser: BodyParserMiddleware) {}

  handle(ctx: HttpContext, next: NextFn) {
    return isGeneratedRoute(ctx) ? next() : this.parser.handle(ctx, next)
  }
}
