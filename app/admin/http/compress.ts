import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { HttpContext } from '@adonisjs/core/http'
import { bestEncoding, type Encoding } from '#crud/http/best_encoding'

/* Below, what is saved is less than what the headers cost. */
const SMALLEST = 1024

/* Up to here a text is compressed in less time than it takes to have another thread do it. */
const LARGEST_AT_ONCE = 64 * 1024

/* With more effort, a page takes several times as long to be a tenth smaller. */
const optionsOf = {
  br: (text: string) => ({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 0,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      /* A window of 64 KB, which is as much as most pages have; the usual one is 4 MB. */
      [constants.BROTLI_PARAM_LGWIN]: 16,
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
  return text.length <= LARGEST_AT_ONCE ? atOnce(text, options) : aside(text, options)
}

/**
 * Compresses the answer that is about to be sent, if it is a text worth it and the client takes one
 * of the encodings. What a guesser could learn from its length is no secret: the pages hold no tokens.
 */
export async function compressAnswer({ request, response }: HttpContext): Promise<void> {
  const body = response.hasContent ? response.getBody() : null
  if (typeof body !== 'string' || body.length < SMALLEST) return
  /* A tag of the text would be wrong for the compressed one. */
  if (response.getHeader('content-encoding') || response.getHeader('etag')) return

  response.vary('Accept-Encoding')
  const encoding = bestEncoding(request)
  if (!encoding) return
  /* From bytes alone, the type could not be told any more. */
  if (!response.getHeader('content-type')) {
    response.header('content-type', `text/${/^\s*</.test(body) ? 'html' : 'plain'}; charset=utf-8`)
  }
  response.header('content-encoding', encoding).send(await encode(body, encoding))
}
