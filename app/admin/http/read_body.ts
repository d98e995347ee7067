import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { parseBody } from '#upstream/body_parser'
import { UnsupportedBody } from './errors.js'

/** Bytes of a form without files: names, passwords, terms of a token */
export const LONGEST_PLAIN = 16 * 1024

/* More values than any field of a form has */
const LONGEST_LIST = 1000

/**
 * Reads the body, behind the gates: uploaded files go to the disk, so a stranger's must not be read.
 * What the request does not move elsewhere is gone when it ends, whether or not it went well. [B17]
 */
export async function readBody(ctx: HttpContext, next: NextFn): Promise<void> {
  /* To see that there is nothing to read takes as long as some pages. */
  if (['GET', 'HEAD'].includes(ctx.request.method())) return await next()
  if (!ctx.request.is(['multipart'])) {
    await parseBody(ctx, await ctx.containerResolver.make(BodyParserMiddleware))
    return await next()
  }
  const folder = await mkdtemp(join(tmpdir(), `atrium-upload-${process.pid}-`))
  try {
    await readMultipart(ctx, folder)
    await next()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Reads the body of a form that takes no files, which anybody may send. One type of body is one door
 * to watch, and a narrow one. [B3]
 *
 * @throws Exception  of status 413 for one of more than 16 KB, 415 for one of another type
 */
export async function readPlainBody(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isPlainForm(ctx)) throw new UnsupportedBody()
  if (!['GET', 'HEAD'].includes(ctx.request.method())) {
    const config = app.config.get<BodyParserConfig>('bodyparser')
    const form = { ...config.form, limit: LONGEST_PLAIN }
    await parseBody(ctx, new BodyParserMiddleware({ ...config, form }))
  }
  await next()
}

/** AdonisJS leaves uploaded files where it puts them, so it has to put them into a folder of ours. */
async function readMultipart(ctx: HttpContext, folder: string) {
  const config = app.config.get<BodyParserConfig>('bodyparser')
  const multipart = {
    ...config.multipart,
    /* A form says itself what becomes of spaces, whichever way it was sent. */
    trimWhitespaces: false,
    convertEmptyStringsToNull: false,
    tmpFileName: () => join(folder, randomUUID()),
  }
  const parser = new BodyParserMiddleware({ ...config, multipart })

  /*
   * It makes trees of names like `a[4000000000]` and `a.a.a`, and copies them: of a few bytes more
   * than memory and stack hold. No form of ours has such names.
   */
  const { request } = ctx
  const keep = request.setInitialBody.bind(request)
  request.setInitialBody = (body) => keep(withoutTrees(body))
  await parseBody(ctx, parser)
  Object.assign(request, { __raw_files: withoutTrees(request.allFiles()) })
}

function withoutTrees(fields: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isTree(value)))
}

function isTree(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LONGEST_LIST || value.some(isTree)
  return typeof value === 'object' && value !== null && !('isMultipartFile' in value)
}

/** Where there is no body, its type says nothing. */
function isPlainForm({ request }: HttpContext): boolean {
  const length = request.header('content-length') ?? '0'
  const isEmpty = length === '0' && request.header('transfer-encoding') === undefined
  return isEmpty || request.is(['application/x-www-form-urlencoded']) !== null
}
