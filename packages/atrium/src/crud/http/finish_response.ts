import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { HttpContext } from '@adonisjs/core/http'
import { bestEncoding, type Encoding } from '#base/http/asset_store'

/** Number of bytes up to which a response is sent as it is, as a compressed one would hardly be smaller */
const SHORT = 1024

/* As fast as gzip, and smaller. Higher qualities take several times as long. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/** Media types of texts */
const TEXTS = /^(?:text\/|application\/(?:[\w.+-]*\+)?json\b|application\/x-ndjson\b)/i

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/**
 * Adds what every response of the API has, before it is sent: `Cache-Control`, and the compression that the client
 * accepts.
 */
export function finishResponse(ctx: HttpContext): void | Promise<void> {
  if (ctx.response.response.headersSent) return
  setCaching(ctx)
  if (isCompressible(ctx)) return compress(ctx)
}

/** Successful reads can be stored and have to be revalidated; everything else must not be stored. */
function setCaching({ request, response }: HttpContext): void {
  if (response.getHeader('cache-control') !== undefined) return
  const isRead = ['GET', 'HEAD'].includes(request.method())
  const isFound = [200, 304].includes(response.getStatus())
  response.header('cache-control', isRead && isFound ? 'no-cache' : 'no-store')
}

/** True for a stream or a long text whose content can be encoded; its response varies by the encoding. */
function isCompressible(ctx: HttpContext): boolean {
  const { outgoingStream, content } = ctx.response
  const [body] = content ?? []
  const isText = typeof body === 'string' || body instanceof Buffer
  const isLong = isText && Buffer.byteLength(body) > SHORT
  return (outgoingStream !== undefined || isLong) && !isUncompressible(ctx)
}

async function compress(ctx: HttpContext): Promise<void> {
  const { request, response } = ctx
  const stream = response.outgoingStream
  const [body] = response.content ?? []
  response.vary('Accept-Encoding')
  const encoding = bestEncoding(request)
  if (!encoding || request.method() === 'HEAD') return
  response.header('content-encoding', encoding).removeHeader('content-length')
  if (stream) return response.stream(compressed(ctx, stream as Readable, encoding))
  const options = encoding === 'br' ? { params: QUALITY } : {}
  const bytes: Buffer = await compressors[encoding](body as string | Buffer, options as object)
  response.send(bytes, false)
}

function isUncompressible({ response }: HttpContext): boolean {
  const type = String(response.getHeader('content-type') ?? '')
  const isFixed = /\bno-transform\b/i.test(String(response.getHeader('cache-control')))
  return !TEXTS.test(type) || isFixed || response.getHeader('content-encoding') !== undefined
}

/** Compresses a stream. If it fails, the connection is closed, as it is without compression. */
function compressed({ response }: HttpContext, stream: Readable, encoding: Encoding): Readable {
  const compressor = encoding === 'br' ? createBrotliCompress({ params: QUALITY }) : createGzip()
  stream.once('error', () => response.response.destroy())
  pipeline(stream, compressor, () => {})
  return compressor
}
