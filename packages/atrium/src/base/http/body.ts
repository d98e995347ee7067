import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { HttpContext } from '@adonisjs/core/http'
import { isDeeper, MOST_DIGITS, parseJson } from '../values/json.js'
import {
  bodyCutOff,
  bodyIsNoObject,
  bodyTooLarge,
  brokenEncoding,
  integerTooLong,
  malformedJson,
  tooDeep,
  unsupportedEncoding,
  unsupportedType,
} from './problems.js'
import { isUndecodable } from '#upstream/body_parser'
import { IntegerTooLong } from '../errors.js'

type Body = Record<string, unknown>

interface BodyLimits {
  /** Maximum length in bytes */
  limit: number
  /** Maximum nesting depth of JSON */
  depth: number
}

/**
 * Reads the fields of a request's body, JSON or form; an empty body without a content type has no fields. Any other
 * body without a content type is refused, because its format is unknown.
 *
 * @throws Problem 400, 413, 415 or 422
 */
export async function readBody(ctx: HttpContext, limits: BodyLimits): Promise<Body> {
  const request = ctx.request.request
  const type = bodyType(request)
  /* The application's middleware may have read the body already. */
  const text = ctx.request.raw() ?? (await readText(request, limits.limit))
  if (type === undefined) {
    if (text === '') return {}
    throw unsupportedType()
  }
  return type === 'json' ? readJson(text, limits.depth) : readForm(text)
}

function bodyType(request: IncomingMessage): 'json' | 'form' | undefined {
  const header = request.headers['content-type']
  if (header === undefined || header.trim() === '') return undefined
  const [type, ...parameters] = header.toLowerCase().split(';')
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?/.exec(one)?.[1])
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset.find(Boolean) ?? 'utf-8')) {
    throw unsupportedType()
  }
  if (type.trim() === 'application/json') return 'json'
  if (isMergePatch(request) && request.method === 'PATCH') return 'json'
  if (type.trim() === 'application/x-www-form-urlencoded') return 'form'
  throw unsupportedType()
}

/** True for a body of RFC 7396. */
export function isMergePatch({ headers }: IncomingMessage): boolean {
  return /^\s*application\/merge-patch\+json\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

/** Reads the text of a body. Stops at the limit, even if `Content-Length` is lower. */
async function readText(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit)
  try {
    return decodeUtf8(await collect(decoded(request), limit))
  } catch (error) {
    if (request.destroyed && !request.complete) throw bodyCutOff()
    throw isUndecodable(error) ? brokenEncoding() : error
  }
}

/**
 * Reads the bytes of a stream, up to the limit. Uses events, because async iteration is several times slower. The
 * stream is not destroyed early, because the response could not be sent then.
 */
function collect(stream: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) return void chunks.push(chunk)
      stream.off('data', onData).pause()
      reject(bodyTooLarge(limit))
    }
    const end = () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    if (stream.readableEnded) return end()
    stream
      .on('data', onData)
      .once('end', end)
      /* This listener is not removed, because an unhandled error event would end the process. */
      .on('error', reject)
      .once('close', () => {
        if (!stream.readableEnded) reject(new Error('The stream was closed before its end'))
      })
  })
}

function decoded(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  switch (encoding) {
    case 'identity':
      return request
    case 'gzip':
      return decompress(request, createGunzip())
    case 'deflate':
      return decompress(request, createInflate())
    case 'br':
      return decompress(request, createBrotliDecompress())
    default:
      throw unsupportedEncoding()
  }
}

/**
 * Decompresses a body. If the caller disconnects, the decompressor is destroyed, because it would otherwise wait
 * forever.
 */
function decompress(request: IncomingMessage, decompressor: Transform): Readable {
  request.once('close', () => {
    if (!request.complete) decompressor.destroy(new Error('The request was cut off'))
  })
  return request.pipe(decompressor)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw malformedJson('it is not UTF-8')
  }
}

function readJson(text: string, depth: number): Body {
  if (isDeeper(text, depth)) throw tooDeep(depth)
  let value: unknown
  try {
    value = parseJson(
      text,
      (integer) => integer,
      MOST_DIGITS,
      (decimal) => decimal
    )
  } catch (error) {
    if (error instanceof IntegerTooLong) throw integerTooLong(MOST_DIGITS)
    throw malformedJson(text === '' ? 'it is empty' : reasonOf(error as Error))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bodyIsNoObject()
  return value as Body
}

/** Returns the reason of a JSON error with only the position, because V8's message contains the body. */
function reasonOf(error: Error): string {
  const position = /position (\d+)/.exec(error.message)?.[1]
  return position ? `unexpected at position ${position}` : 'it ends too early'
}

/** Returns the fields of a form; a field that was sent several times is a list. */
function readForm(text: string): Body {
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name)
    if (known === undefined) fields.set(name, value)
    else if (Array.isArray(known)) known.push(value)
    else fields.set(name, [known, value])
  }
  return Object.fromEntries(fields)
}
