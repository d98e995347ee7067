import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BodyParserMiddleware from '#crud/http/body_parser_middleware'
import { UnsupportedBody } from './errors.js'

/**
 * Reads the body, behind the gates: uploaded files go to the disk, so a stranger's must not be read.
 */
export async function readBody(ctx: HttpContext, next: NextFn): Promise<void> {
  const parser = await ctx.containerResolver.make(BodyParserMiddleware)
  await parser.read(ctx)
  await next()
}

/**
 * Reads the body of a form that takes no files, which anybody may send. One type of body is one door
 * to watch. [B3]
 */
export async function readPlainBody(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isPlainForm(ctx)) throw new UnsupportedBody()
  await readBody(ctx, next)
}

/** Where there is no body, its type says nothing. */
function isPlainForm({ request }: HttpContext): boolean {
  const length = request.header('content-length') ?? '0'
  const isEmpty = length === '0' && request.header('transfer-encoding') === undefined
  return isEmpty || request.is(['application/x-www-form-urlencoded']) !== null
}
