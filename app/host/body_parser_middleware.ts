import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { readsBody } from '#crud/internals'
import { parseBody } from '#upstream/body_parser'

/**
 * AdonisJS's own body parser for the application's routes. Generated endpoints read their bodies
 * themselves, after they have authorized the caller, with their own limits.
 */
export default class ApplicationBodyParserMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (!readsBody(ctx)) {
      await parseBody(ctx, await ctx.containerResolver.make(BodyParserMiddleware))
    }
    return next()
  }
}
