import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { PAGE_KEYS, KEY_GROUPS, KEYS, shownKey, writtenKeys, hasSingleKeys } from './keys.js'

/**
 * All keys of the site: a page, and its content for the dialog. [L12]
 */
export class KeysController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext): Promise<string> {
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    const isSingle = await hasSingleKeys(ctx, this.site)
    return await this.site.render(ctx, isPart ? 'partials/keys_dialog' : 'pages/keys', {
      hasSingleKeys: isSingle,
      written: writtenKeys(isSingle),
      pageKeys: PAGE_KEYS,
      keyGroups: KEY_GROUPS.map((group) => ({
        label: this.site.text(`keys.${group}.label`),
        rows: KEYS.filter((key) => key.group === group).map(({ does, keys }) => ({
          text: this.site.text(`keys.${group}.${does}`),
          keys: keys.map(shownKey),
        })),
      })),
    })
  }
}
