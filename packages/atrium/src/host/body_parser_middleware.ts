import string from '@adonisjs/core/helpers/string'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { parseBody } from '#upstream/body_parser'

/** AdonisJS's body parser, with protection against bodies that would terminate the process. */
export default class ApplicationBodyParserMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const { multipart } = app.config.get<BodyParserConfig>('bodyparser')
    const most = string.bytes.parse(multipart.limit ?? Infinity) ?? Infinity
    await parseBody(ctx, await ctx.containerResolver.make(BodyParserMiddleware), most)
    return next()
  }
}
