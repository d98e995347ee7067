import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Exception } from '@adonisjs/core/exceptions'
import string from '@adonisjs/core/helpers/string'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { isUndecodable } from './body.js'
import { readsBody } from './generated_routes.js'

/**
 * AdonisJS's own body parser for the application's routes. Generated endpoints read their bodies
 * themselves, once they know that the caller may call: types are kept there, limits are theirs.
 */
export default class ApplicationBodyParserMiddleware {
  /**
   * @param parser  the application's, if none is given: only a request that needs it asks for it (the
   *   container gives something to parameters without a default alone)
   */
  constructor(private readonly parser: BodyParserMiddleware | undefined = undefined) {}

  async handle(ctx: HttpContext, next: NextFn) {
    if (!readsBody(ctx)) await this.read(ctx)
    return next()
  }

  /**
   * Reads the body, if there is one.
   *
   * @throws Exception  of status 400 for a body that its `Content-Encoding` does not fit, for which
   *   the parser has no status; 413 for one that is too large
   */
  async read(ctx: HttpContext): Promise<void> {
    if (ctx.request.is(['multipart'])) guardMultipart(ctx.request.request)
    const parser = this.parser ?? (await ctx.containerResolver.make(BodyParserMiddleware))
    try {
      await parser.handle(ctx, async () => {})
    } catch (error) {
      /* JSON that nests too deep for the parser's own recursion */
      const isTooDeep = error instanceof RangeError
      throw isUndecodable(error) || isTooDeep
        ? new Exception('The body can not be decoded', { status: 400 })
        : error
    }
  }
}

/**
 * The parser counts what stands in files and fields alone: before the first part, and between them, it
 * reads on for ever. And it skips parts without a name. When the body ends inside of one, nobody would
 * hear that part of the error, which ends the process; the body as a whole is refused all the same.
 *
 * @throws Exception  of status 413, when the length that was announced is too large
 */
function guardMultipart(message: IncomingMessage) {
  const { multipart } = app.config.get<BodyParserConfig>('bodyparser')
  const most = (string.bytes.parse(multipart.limit ?? Infinity) ?? Infinity) + AROUND_PARTS
  if (Number(message.headers['content-length']) > most) throw tooLarge()

  const pipe = message.pipe.bind(message)
  message.pipe = (form, options) => {
    let length = 0
    message.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > most && length - chunk.length <= most) form.emit('error', tooLarge())
    })
    form.on('part', (part: Readable) => part.on('error', () => {}))
    return pipe(form, options)
  }
}

/** Bytes of boundaries and headers that a body may have beside what it holds */
const AROUND_PARTS = 1024 * 1024

const tooLarge = () =>
  new Exception('The body is too large', { status: 413, code: 'E_REQUEST_ENTITY_TOO_LARGE' })
