/*
 * AdonisJS's body parser (@adonisjs/core 7.5.2, @adonisjs/bodyparser 11.0.4):
 *
 * - a body that does not match its `Content-Encoding`, and JSON that is nested too deeply for its recursion, cause
 *   errors without a status, so an error of the caller would be a 500;
 * - its multipart reader limits files and fields, but not the bytes around them, and a body that ends inside a part
 *   without a name terminates the process;
 * - it converts names of multipart fields, such as `a[4000000000]` and `a.a.a`, to nested objects, and its request
 *   copies them: a few bytes can exhaust memory or stack, and `a` and `a.b` replace each other. There is no option to prevent this, and files are stored in
 *   the private `__raw_files`.
 *
 * No issue known. The first part can be removed when the test "the parser still sets no status for bodies that can't be
 * decompressed" fails, the third when "the parser still turns names into nested objects" does; there is no separate
 * test of the parser for the second yet.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Exception } from '@adonisjs/core/exceptions'
import { HttpRequest, type HttpContext } from '@adonisjs/core/http'
import type BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { expectLibrary, hasMethods, hasText } from './expect_library.js'

/**
 * Reads the body of a request with AdonisJS's parser, if there is one.
 *
 * @param most  maximum number of bytes of a multipart body's content
 * @throws Exception  with status 400 for a body that can't be decoded, 413 for one that is too large
 */
export async function parseBody(
  ctx: HttpContext,
  parser: BodyParserMiddleware,
  most = 0
): Promise<void> {
  if (ctx.request.is(['multipart'])) guardMultipart(ctx.request.request, most + AROUND_PARTS)
  try {
    await parser.handle(ctx, async () => {})
  } catch (error) {
    throw isUndecodable(error) || error instanceof RangeError
      ? new Exception('The body can not be decoded', { status: 400 })
      : error
  }
}

/** True if a decompressor reports that the bytes are not in their encoding. */
export function isUndecodable(error: unknown): boolean {
  return /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/.test((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Limits the size of a multipart body. The parser limits only files and fields: before the first part, and between
 * parts, it reads without a limit. It also skips parts without a name. If the body ends inside such a part, the error
 * of the part has no listener and terminates the process; the body as a whole is refused anyway.
 *
 * @throws Exception  with status 413, when `Content-Length` is too large
 */
function guardMultipart(message: IncomingMessage, most: number) {
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

/** Maximum number of bytes of boundaries and headers in a body */
const AROUND_PARTS = 1024 * 1024

const tooLarge = () =>
  new Exception('The body is too large', { status: 413, code: 'E_REQUEST_ENTITY_TOO_LARGE' })

/* A field of a form, of a row (`items.0.quantity`), or of all rows (`items.__more`) */
const FORM_NAME = /^[^.[\]]+(?:\.(?:\d{1,6}\.[^.[\]]+|__[a-z]+))?$/

/* Maximum number of files with the same name; no form has more */
const LONGEST_LIST = 10_000

/* Index of a row */
const ROW = /^\d{1,6}$/

/**
 * Checks the parts of AdonisJS that this file relies on.
 *
 * @throws Exception  when the parser passes fields and files to the request in a different way
 */
export function checkLibrary(request: object = HttpRequest.prototype): void {
  expectLibrary('@adonisjs/bodyparser', 'body_parser', {
    'Request#setInitialBody': hasMethods(request, 'setInitialBody'),
    '__raw_files in Request#allFiles': hasText(Reflect.get(request, 'allFiles'), '__raw_files'),
  })
}

/**
 * Reads the body of a request. Fields have the names and values that were sent, because the parser drops the values of
 * `people` if there is a field `people.__shown`. Fields and files whose names form a tree (`a[b][c]`) are left out,
 * except those of rows.
 *
 * @param read  calls AdonisJS's parser
 */
export async function readWithoutTrees(
  request: HttpRequest,
  read: () => Promise<void>
): Promise<void> {
  const message = request.request
  const pipe = message.pipe.bind(message)
  const fields = new Map<string, string[]>()
  message.pipe = (form, options) => {
    form.on('field', (sent: string, value: string) => {
      const name = sent.replace(/\[]$/, '')
      if (!FORM_NAME.test(name)) return
      const values = fields.get(name)
      if (values) values.push(value)
      else fields.set(name, [value])
    })
    return pipe(form, options)
  }
  const keep = request.setInitialBody.bind(request)
  request.setInitialBody = () => {
    const single = [...fields].map(([name, all]) => [name, all.length > 1 ? all : all[0]])
    keep(Object.fromEntries(single))
  }
  await read()
  Object.assign(request, { __raw_files: withoutTrees(request.allFiles()) })
}

function withoutTrees(files: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, value]) =>
      isTree(value) ? filesOfRows(name, value as object) : [[name, value]]
    )
  )
}

/** Returns the files of the rows of a form by their full names: `items.0.photo`. */
function filesOfRows(name: string, rows: object): Array<[string, unknown]> {
  return Object.entries(rows).flatMap(([index, row]): Array<[string, unknown]> => {
    if (!ROW.test(index) || !isTree(row)) return []
    return Object.entries(row)
      .filter(([, value]) => !isTree(value))
      .map(([field, value]) => [`${name}.${index}.${field}`, value])
  })
}

function isTree(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LONGEST_LIST || value.some(isTree)
  return typeof value === 'object' && value !== null && !isFile(value)
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isMultipartFile' in value
}
