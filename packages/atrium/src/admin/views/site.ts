import type { HttpContext } from '@adonisjs/core/http'
import type { Navigation } from '../config/navigation_config.js'
import type { WithCards } from './admin_card.js'
import type { WithPages } from './admin_page.js'
import type { ViewSite } from './model_view.js'

/**
 * The parts of the site that pages use: models, URLs, texts and templates. Code that needs a service of the site
 * declares it in addition.
 */
export interface Site extends ViewSite, WithPages, WithCards {
  readonly title: string
  readonly mountPath: string
  /** Order of the sidebar, and links in it */
  readonly navigation: Navigation
  /** Folder of the application's templates, which replace those of the site */
  readonly templatesDirectory: string | undefined
  /** Returns the absolute URL of a path in the site, for links in emails and the like. */
  absoluteUrl(path: string, ctx?: HttpContext): string
  /** Returns a text of the catalogue. */
  text(key: string, data?: Record<string, unknown>): string
  /** Renders a page or a partial of the site. */
  render(ctx: HttpContext, template: string, data?: Record<string, unknown>): Promise<string>
  /**
   * Renders a page for which a view may have a custom template.
   *
   * @param own  the view's template, relative to resources/views; undefined for the template of the site
   */
  renderPage(
    ctx: HttpContext,
    template: string,
    data: Record<string, unknown>,
    own: string | undefined
  ): Promise<string>
}
