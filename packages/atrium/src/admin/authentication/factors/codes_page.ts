import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { guardOf } from '../sessions/admin_guard.js'

/**
 * Renders new recovery codes, in the response that makes them: they are stored nowhere. [U8]
 *
 * @param codes.isFirst  true if they come with a user's first factor
 */
export async function recoveryCodesPage(
  ctx: HttpContext,
  site: AdminSite,
  codes: string[],
  { isFirst }: { isFirst: boolean }
): Promise<string> {
  const { username } = guardOf(ctx).signedInOrFail().owner
  const heading = site.text('factors.codes.file', { title: site.title, username })
  const file = [heading, '', ...codes, ''].join('\r\n')
  return await site.render(ctx, 'pages/recovery_codes', {
    codes,
    isFirst,
    download: `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`,
    done: site.url('/account'),
  })
}
