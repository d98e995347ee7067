import type { HttpContext } from '@adonisjs/core/http'
import { runAs } from '#crud'
import { isObject } from '#base/checks'
import type { Site } from '../views/site.js'
import type { AdminPage } from '../views/admin_page.js'
import { adminActor } from '../identity/admin_actor.js'

/**
 * Renders a page of the application: its template within the layout of the site, below the heading, unless the template
 * has a layout or a heading of its own.
 */
export async function showPage(site: Site, page: AdminPage, ctx: HttpContext): Promise<string> {
  const given = await runAs(adminActor(ctx), async () => await page.data(ctx))
  const { path, label, template } = page
  const data = { ...(isObject(given) ? given : {}), page: { path, label, template } }
  delete (data as { site?: unknown }).site
  const { hasLayout, hasHeading } = site.templates.shapeOf(template)
  if (hasLayout) return await site.renderPage(ctx, 'pages/application', data, template)
  return await site.render(ctx, 'pages/application', { ...data, pageHasHeading: hasHeading })
}
