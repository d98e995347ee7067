import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { HttpContext } from '@adonisjs/core/http'
import { bestEncoding, type Encoding } from '#base/http/asset_store'
import { CONTENT_SECURITY_POLICY } from '#base/http/security_headers'

/* Minimum size; below it, the headers cost more than compression saves. */
const SMALLEST = 1024

/* Up to this size, compressing takes less time than passing the text to another thread. */
const LARGEST_SYNC = 64 * 1024

/* The lowest level: a higher one takes several times as long and makes a page only a tenth smaller. */
const optionsOf = {
  br: (text: string) => ({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 0,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      /* A window of 64 or 128 KB covers most pages; the default is 4 MB. */
      [constants.BROTLI_PARAM_LGWIN]: text.length <= LARGEST_SYNC ? 16 : 17,
    },
  }),
  gzip: () => ({ level: 1 }),
}

const encoders = {
  br: { atOnce: brotliCompressSync, aside: promisify(brotliCompress) },
  gzip: { atOnce: gzipSync, aside: promisify(gzip) },
}

function encode(text: string, encoding: Encoding): Buffer | Promise<Buffer> {
  const { atOnce, aside } = encoders[encoding]
  const options = optionsOf[encoding](text)
  return text.length <= LARGEST_SYNC ? atOnce(text, options) : aside(text, options)
}

/**
 * Compresses the response if it is a text of sufficient size and the client accepts an encoding. The compressed length
 * reveals no secret: secrets on pages are random and shown once, and pages with secrets do not repeat input of other
 * clients.
 */
export async function compressResponse({ request, response }: HttpContext): Promise<void> {
  const body = response.hasContent ? response.getBody() : null
  if (typeof body !== 'string' || body.length < SMALLEST) return
  /* An entity tag of the text would be wrong for the compressed body. */
  if (response.getHeader('content-encoding') || response.getHeader('etag')) return

  response.vary('Accept-Encoding')
  const encoding = bestEncoding(request)
  if (!encoding) return
  /* The content type could not be detected from the compressed bytes. */
  if (!response.getHeader('content-type')) {
    response.header('content-type', `text/${/^\s*</.test(body) ? 'html' : 'plain'}; charset=utf-8`)
  }
  response.header('content-encoding', encoding).send(await encode(body, encoding))
}

/** Security headers of every response of the site. */
export const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function setSecurityHeaders({ response }: HttpContext): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.header(name, value)
}
