import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { inject } from '@adonisjs/core'
import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { readsBody } from './generated_routes.js'

/**
 * AdonisJS's own body parser for the application's routes. Generated endpoints read their bodies
 * themselves, once they know that the caller may call: types are kept there, limits are theirs.
 */
@inject()
export default class ApplicationBodyParserMiddleware {
  constructor(private readonly parser: BodyParserMiddleware) {}

  async handle(ctx: HttpContext, next: NextFn) {
    if (!readsBody(ctx)) await this.read(ctx)
    return next()
  }

  /**
   * Reads the body, if there is one.
   *
   * @throws Exception  of status 400 for a body that its `Content-Encoding` does not fit, for which
   *   the parser has no status
   */
  async read(ctx: HttpContext): Promise<void> {
    if (ctx.request.is(['multipart'])) hearOfParts(ctx.request.request)
    try {
      await this.parser.handle(ctx, async () => {})
    } catch (error) {
      const isGarbled = String((error as { code?: string }).code).startsWith('Z_')
      /* JSON that nests too deep for the parser's own recursion */
      const isTooDeep = error instanceof RangeError
      throw isGarbled || isTooDeep
        ? new Exception('The body can not be decoded', { status: 400 })
        : error
    }
  }
}

/**
 * The parser skips parts without a name. When the body ends inside of one, nobody would hear that part
 * of the error, which ends the process; the body as a whole is refused all the same.
 */
function hearOfParts(message: IncomingMessage) {
  const pipe = message.pipe.bind(message)
  message.pipe = (form, options) => {
    form.on('part', (part: Readable) => part.on('error', () => {}))
    return pipe(form, options)
  }
}
