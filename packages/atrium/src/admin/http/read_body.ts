import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@adonisjs/core/bodyparser'
import app from '@adonisjs/core/services/app'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { parseBody, readWithoutTrees } from '#upstream/body_parser'
import type { AdminConfig } from '../config/define_config.js'
import { UnsupportedBody } from './errors.js'
import { MOST_FIELDS } from './form_texts.js'

const MEGABYTE = 1024 * 1024

/** Maximum size in bytes of a form without files, such as user names, passwords and token settings */
const LONGEST_PLAIN = 16 * 1024

/**
 * Parses the body after the guards have passed: uploaded files go to the disk, so those of anonymous users must not be
 * read. Files that the handler has not moved are removed at the end of the request, even if it fails.
 */
export async function readBody(ctx: HttpContext, next: NextFn): Promise<void> {
  /* Skips GET and HEAD, because detecting a missing body takes as long as rendering some pages. */
  if (['GET', 'HEAD'].includes(ctx.request.method())) return await next()
  if (!ctx.request.is(['multipart'])) {
    await parseBody(ctx, parserFor())
    return await next()
  }
  await inUploadFolder(async (folder) => {
    await readMultipart(ctx, folder)
    await next()
  })
}

/**
 * Calls a function with a new folder for uploaded files. Removes the folder afterwards, because AdonisJS does not.
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
 * Parses the body of a short form without files, such as the login. A single accepted content type keeps the attack
 * surface small.
 *
 * @throws Exception  with status 413 for more than 16 KB, 415 for another content type
 */
export async function readPlainBody(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isPlainForm(ctx)) throw new UnsupportedBody()
  if (!['GET', 'HEAD'].includes(ctx.request.method())) {
    await parseBody(ctx, parserFor({ limit: LONGEST_PLAIN }))
  }
  await next()
}

/**
 * Returns a parser with the settings of the site, which do not depend on the application's `config/bodyparser.ts`.
 * Texts are not trimmed: each form decides what to trim, and `sentTexts` parses urlencoded texts.
 *
 * @param limit  maximum bytes of a form without files; default: `forms.textMegabytes`
 */
function parserFor({ limit = limits().text, multipart = {} }: ParserOptions = {}) {
  const asIs = { convertEmptyStringsToNull: false, trimWhitespaces: false }
  const { form, ...others } = defineConfig({
    json: { ...asIs, limit },
    multipart: { ...asIs, ...multipart },
  })
  const raw = { ...others.raw, limit, types: [...form.types, ...others.raw.types] }
  return new BodyParserMiddleware({ ...others, form: { ...form, types: [] }, raw })
}

interface ParserOptions {
  limit?: number
  multipart?: Partial<BodyParserConfig['multipart']>
}

/** Returns the maximum bytes of a form without files, and of the files of a form. */
function limits() {
  const { forms } = app.config.get<AdminConfig>('admin')
  return { text: forms.textMegabytes * MEGABYTE, files: forms.filesMegabytes * MEGABYTE }
}

/**
 * Reads a multipart form, and writes files to the folder while they arrive.
 *
 * @param most  maximum total bytes of the files
 * @throws Exception  of status 400 for an incomplete body, 413 for one that is too large
 */
export async function readMultipart(ctx: HttpContext, folder: string, most = limits().files) {
  const tmpFileName = () => join(folder, randomUUID())
  const parser = parserFor({
    multipart: { limit: String(most), maxFields: MOST_FIELDS, tmpFileName },
  })
  await readWithoutTrees(ctx.request, () => parseBody(ctx, parser, most))
}

/** Returns whether the body is a urlencoded form or empty. The content type of an empty body is ignored. */
function isPlainForm({ request }: HttpContext): boolean {
  const length = request.header('content-length') ?? '0'
  const isEmpty = length === '0' && request.header('transfer-encoding') === undefined
  return isEmpty || request.is(['application/x-www-form-urlencoded']) !== null
}

/** Returns true for an API client, which gets JSON. */
export function wantsJson({ request }: HttpContext): boolean {
  return request.accepts(['html', 'json']) === 'json' || request.is(['json']) !== null
}
