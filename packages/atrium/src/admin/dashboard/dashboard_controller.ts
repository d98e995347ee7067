import type { HttpContext } from '@adonisjs/core/http'
import { parseFilterName } from '#base/columns/filter'
import type { AdminSite } from '../admin_site.js'
import { mayReadEvents } from '../http/event_access.js'
import { isForbidden } from '../forms/submission/form_failure.js'
import type { ModelView } from '../views/model_view.js'
import { visibleViews } from '../views/visible_views.js'
import { presentZone } from '../time/time_zone.js'
import { recordsChart, createdPerDay, type CreatedPerDay, trend } from './chart.js'
import { iconOf } from '../layout/model_icon.js'
import { recentEvents, recentRecords } from './recent_events.js'

const TREND_DAYS = 14

/**
 * The dashboard. [S24, B23]
 */
export class DashboardController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext) {
    return await this.site.render(ctx, 'pages/dashboard', await this.#data(ctx))
  }

  /** Renders the dashboard's content without the layout, for refreshing the page. [S24] */
  async content(ctx: HttpContext) {
    return await this.site.render(ctx, 'partials/dashboard_content', await this.#data(ctx))
  }

  async #data(ctx: HttpContext) {
    const views = await visibleViews(this.site, ctx)
    const leftOut: string[] = []
    const [counted, created, recent, mine] = await Promise.all([
      Promise.all(views.map((view) => this.#count(ctx, view))),
      createdPerDay(
        ctx,
        views.filter((view) => !view.adminModel),
        (error) => report(ctx, error, 'The chart of the dashboard has a gap'),
        ({ label }) => leftOut.push(label)
      ),
      recentEvents(this.site, ctx),
      recentRecords(this.site, ctx),
    ])
    const texts = {
      title: this.site.text('dashboard.chart.title'),
      description: this.site.text('dashboard.chart.description', { zone: presentZone() }),
    }
    return {
      models: counted
        .filter(({ adminModel }) => !adminModel)
        .map((model) => ({ ...model, trend: this.#trendOf(model.name, created) })),
      authTables: counted.filter(({ adminModel }) => adminModel),
      chart: created && recordsChart(created.all, texts),
      chartTable: created?.all ?? [],
      chartGap:
        leftOut.length > 0
          ? this.site.text('dashboard.chart.leftOut', { models: leftOut.sort().join(', ') })
          : null,
      recent,
      mine,
      allEvents: mayReadEvents(this.site, ctx) ? this.site.url('/management/events') : null,
    }
  }

  /** A failed count is shown as missing and does not fail the page. */
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
      icon: iconOf(view),
      adminModel: view.adminModel,
      count,
    }
  }

  /**
   * Returns the counts of a model for the last days, as bars and in words; null if the model has no creation time.
   */
  #trendOf(name: string, created: CreatedPerDay | null) {
    const counts = created?.ofModel.get(name)?.slice(-TREND_DAYS)
    if (!counts) return null
    const count = counts.reduce((sum, one) => sum + one, 0)
    const text = this.site.text('dashboard.trend', { count, days: TREND_DAYS })
    return { drawing: trend(counts), text }
  }
}

/**
 * Returns whether a count with a filter is shown. The number would reveal values of a column that is hidden from the
 * viewer. [U3]
 */
function isShown({ resource }: ModelView, filter: string): boolean {
  const { column } = parseFilterName(filter)
  return !resource.projection?.hidden.has(column)
}

/** Logs a failure, except a denial by the policy. */
function report(ctx: HttpContext, error: unknown, text: string) {
  if (!isForbidden(error)) ctx.logger.error({ err: error }, text)
}
