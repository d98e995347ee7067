import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import type { Asset } from './asset_store.js'

/** Sends an asset whose name changes with its content, so browsers can cache it permanently. */
export function sendAsset({ request, response }: HttpContext, asset: Asset): void {
  response
    .header('content-type', asset.type)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'accept-encoding')
  const encoding = bestEncoding(request)
  if (encoding === 'br' && asset.brotli)
    response.header('content-encoding', 'br').send(asset.brotli)
  else if (encoding === 'gzip' && asset.gzip) {
    response.header('content-encoding', 'gzip').send(asset.gzip)
  } else response.send(asset.body)
}

export type Encoding = 'br' | 'gzip'

/**
 * Returns the smallest encoding that the client accepts. Browsers assign the same weight to all encodings, with gzip
 * first.
 */
export function bestEncoding(request: HttpRequest): Encoding | undefined {
  if (request.header('accept-encoding') === undefined) return undefined
  const accepted = request.encodings()
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding))
}
