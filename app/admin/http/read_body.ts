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
import { readWithoutTrees } from '#upstream/body_parser_trees'
import { UnsupportedBody } from '../errors.js'
import { MOST_FIELDS } from './form_texts.js'

/** Maximum size in bytes of a form without files: names, passwords, terms of a token */
export const LONGEST_PLAIN = 16 * 1024

/**
 * Parses the body after the guards have passed: uploaded files go to the disk, so those of
 * strangers must not be read. Files that the request has not moved are removed at its end, even if
 * it fails. [B17]
 */
export async function readBody(ctx: HttpContext, next: NextFn): Promise<void> {
  /* Finding that there is no body takes as long as some pages. */
  if (['GET', 'HEAD'].includes(ctx.request.method())) return await next()
  if (!ctx.request.is(['multipart'])) {
    await parseBody(ctx, new BodyParserMiddleware(withFormsAsText()))
    return await next()
  }
  await inUploadFolder(async (folder) => {
    await readMultipart(ctx, folder)
    await next()
  })
}

/**
 * Calls a function with a new folder for uploaded files, which is removed afterwards: AdonisJS does not
 * remove them.
 */
export async function inUploadFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `atrium-upload-${process.pid}-`))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Parses the body of a public form without files. A single accepted content type keeps the attack
 * surface small. [B3]
 *
 * @throws Exception  with status 413 for more than 16 KB, 415 for another content type
 */
export async function readPlainBody(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isPlainForm(ctx)) throw new UnsupportedBody()
  if (!['GET', 'HEAD'].includes(ctx.request.method())) {
    await parseBody(ctx, new BodyParserMiddleware(withFormsAsText(LONGEST_PLAIN)))
  }
  await next()
}

/**
 * Configuration of the application's parser, except that urlencoded forms are kept as text for
 * `sentTexts`.
 *
 * @param limit  bytes of a form; default: the application's
 */
function withFormsAsText(limit?: number): BodyParserConfig {
  const config = app.config.get<BodyParserConfig>('bodyparser')
  const { encoding, types } = config.form
  const raw = {
    encoding,
    limit: limit ?? config.form.limit,
    types: [...types, ...config.raw.types],
  }
  return { ...config, form: { ...config.form, types: [] }, raw }
}

/**
 * Reads a multipart form; its files are written to the folder as they come.
 *
 * @param most  bytes of the files; default: the application's limit
 * @throws Exception  of status 400 for a body that is cut short, 413 for one that is too large
 */
export async function readMultipart(ctx: HttpContext, folder: string, most?: number) {
  const config = app.config.get<BodyParserConfig>('bodyparser')
  const multipart = {
    ...config.multipart,
    ...(most !== undefined && { limit: String(most) }),
    /* The form decides whether texts are trimmed, for every content type. */
    trimWhitespaces: false,
    convertEmptyStringsToNull: false,
    maxFields: MOST_FIELDS,
    tmpFileName: () => join(folder, randomUUID()),
  }
  const parser = new BodyParserMiddleware({ ...config, multipart })

  await readWithoutTrees(ctx.request, () => parseBody(ctx, parser, most))
}

/** A content type without a body is ignored. */
function isPlainForm({ request }: HttpContext): boolean {
  const length = request.header('content-length') ?? '0'
  const isEmpty = length === '0' && request.header('transfer-encoding') === undefined
  return isEmpty || request.is(['application/x-www-form-urlencoded']) !== null
}
