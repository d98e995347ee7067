import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { parseBody } from '#upstream/body_parser'

/** AdonisJS's own body parser, which some bodies would make end the process. */
export default class ApplicationBodyParserMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    await parseBody(ctx, await ctx.containerResolver.make(BodyParserMiddleware))
    return next()
  }
}
