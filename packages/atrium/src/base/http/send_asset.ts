import type { HttpContext } from '@adonisjs/core/http'
import type { Asset } from './asset_store.js'
import { bestEncoding } from './best_encoding.js'

/** Sends an asset whose name changes with its content: browsers may cache it for ever. */
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
