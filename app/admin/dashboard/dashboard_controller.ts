import type { HttpContext } from '@adonisjs/core/http'
import { parseFilterName } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { mayReadEvents } from '../events/pages/event_access.js'
import { isForbidden } from '../forms/submission/refusals.js'
import type { ModelView } from '../model_view.js'
import { visibleViews } from '../permissions/visible_views.js'
import { recordsChart } from './chart.js'
import { createdPerDay } from './created_per_day.js'
import { recentEvents } from './recent_events.js'

/**
 * The dashboard. [S24, B23]
 */
export class DashboardController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext) {
    return await this.site.render(ctx, 'pages/dashboard', await this.#data(ctx))
  }

  /**
   * The dashboard's content without the layout, for its refresh. [S24]
   */
  async content(ctx: HttpContext) {
    return await this.site.render(ctx, 'partials/dashboard_content', await this.#data(ctx))
  }

  async #data(ctx: HttpContext) {
    const views = await visibleViews(this.site, ctx)
    const leftOut: string[] = []
    const [counted, days, recent] = await Promise.all([
      Promise.all(views.map((view) => this.#count(ctx, view))),
      createdPerDay(
        ctx,
        views.filter((view) => !view.adminModel),
        (error) => report(ctx, error, 'The chart of the dashboard has a gap'),
        ({ label }) => leftOut.push(label)
      ),
      recentEvents(this.site, ctx),
    ])
    const texts = {
      title: this.site.text('dashboard.chart.title'),
      description: this.site.text('dashboard.chart.description'),
    }
    return {
      models: counted.filter(({ adminModel }) => !adminModel),
      authTables: counted.filter(({ adminModel }) => adminModel),
      chart: days && recordsChart(days, texts),
      chartTable: days ?? [],
      chartGap:
        leftOut.length > 0
          ? this.site.text('dashboard.chart.leftOut', { models: leftOut.sort().join(', ') })
          : null,
      recent,
      allEvents: mayReadEvents(this.site, ctx) ? this.site.url('/management/events') : null,
    }
  }

  /** A failed count leaves a gap and does not fail the page. */
  async #count(ctx: HttpContext, view: ModelView) {
    let count: number | null = null
    try {
      const { countFilters = {} } = view.model as { countFilters?: Record<string, unknown> }
      if (Object.keys(countFilters).every((name) => isShown(view, name))) {
        count = await view.crud.count(countFilters, view.callOptions(ctx))
      }
    } catch (error) {
      report(ctx, error, `${view.name} could not be counted`)
    }
    return {
      name: view.name,
      label: view.label,
      url: this.site.url(`/${view.name}/`),
      adminModel: view.adminModel,
      count,
    }
  }
}

/** A number would tell something of a column that the viewer does not see on any record. [U3] */
function isShown({ resource }: ModelView, filter: string): boolean {
  const { column } = parseFilterName(filter)
  return !resource.projection?.hidden.has(column)
}

/** Logs a failure, except a refusal of the policy. */
function report(ctx: HttpContext, error: unknown, text: string) {
  if (!isForbidden(error)) ctx.logger.error({ err: error }, text)
}
