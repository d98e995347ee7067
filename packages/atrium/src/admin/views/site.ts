import type { HttpContext } from '@adonisjs/core/http'
import type { ViewSite } from './model_view.js'

/**
 * The parts of the site that its pages use: models, addresses, texts and templates. What needs a service of the site in
 * addition names that service.
 */
export interface Site extends ViewSite {
  readonly mountPath: string
  /** Text of the catalogue */
  text(key: string, data?: Record<string, unknown>): string
  /** Renders a page or a partial of the site. */
  render(ctx: HttpContext, template: string, data?: Record<string, unknown>): Promise<string>
  /**
   * Renders a page that a view may replace by a template of its own.
   *
   * @param own  the view's template, relative to resources/views
   */
  renderPage(
    ctx: HttpContext,
    template: string,
    data: Record<string, unknown>,
    own: string | undefined
  ): Promise<string>
}
