import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { bestEncoding } from '../http/compress.js'
import { PageNotFound } from '../http/errors.js'

/**
 * Stylesheets and scripts, under names that change with their content: a browser may keep them for
 * ever.
 */
export class AssetsController {
  constructor(private readonly site: AdminSite) {}

  show(ctx: HttpContext) {
    const asset = this.site.assets.find(ctx.params.file)
    if (!asset) throw new PageNotFound()

    const { response, request } = ctx
    response
      .header('content-type', asset.type)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
    const encoding = bestEncoding(request)
    if (encoding === 'br') response.header('content-encoding', 'br').send(asset.brotli)
    else if (encoding === 'gzip') response.header('content-encoding', 'gzip').send(asset.gzip)
    else response.send(asset.body)
  }
}
