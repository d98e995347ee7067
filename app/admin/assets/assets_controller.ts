import type { HttpContext } from '@adonisjs/core/http'
import { sendAsset } from '#crud/http/send_asset'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../http/errors.js'

/**
 * Stylesheets and scripts, under names that change with their content.
 */
export class AssetsController {
  constructor(private readonly site: AdminSite) {}

  show(ctx: HttpContext) {
    const asset = this.site.assets.find(ctx.params.file)
    if (!asset) throw new PageNotFound()
    sendAsset(ctx, asset)
  }
}
