import type { HttpContext } from '@adonisjs/core/http'
import { sendAsset } from '#base/http/send_asset'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../errors.js'

/**
 * Serves stylesheets and scripts under file names that contain a hash of their content.
 */
export class AssetsController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext): Promise<void> {
    const assets = await this.site.assets()
    const asset = await assets.find(ctx.params.file)
    if (!asset) throw new PageNotFound()
    sendAsset(ctx, asset)
  }
}
