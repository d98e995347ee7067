import type { HttpContext } from '@adonisjs/core/http'
import { parseFilterName } from '#base/columns/filter'
import type { ListSite } from '../list/read_list.js'
import type { WithDatabase } from '../config/database_config.js'
import { mayReadEvents } from '../http/event_access.js'
import { isForbidden } from '../forms/submission/form_failure.js'
import type { ModelView } from '../views/model_view.js'
import { visibleViews } from '../views/visible_views.js'
import { presentZone } from '../time/time_zone.js'
import {
  importedModels,
  recordsChart,
  createdPerDay,
  type CreatedPerDay,
  trend,
  withoutModels,
} from './chart.js'
import { arrangedCards, availableCards, storedDashboard } from './arrangement.js'
import { cardBody } from './cards/card_body.js'
import { visibleCards, type AddedCards } from './cards/card_list.js'
import { WithheldPage } from '../http/errors.js'
import { ListCard, nameOfCard, type AdminCard } from '../views/admin_card.js'
import { iconOf } from '../layout/model_icon.js'
import { recentEvents, recentRecords } from './recent_events.js'

const TREND_DAYS = 14

/** The dashboard. */
export class DashboardController {
  constructor(private readonly site: ListSite & WithDatabase) {}

  async show(ctx: HttpContext) {
    const isWhole = ctx.request.qs().whole !== undefined
    const data = await this.#data(ctx, isWhole)
    const isPending = data.placed.some((card) => card.isPending)
    return await this.site.render(ctx, 'pages/dashboard', {
      ...data,
      reload: isPending ? `${this.site.url('/')}?whole=1` : undefined,
      arrange: this.site.url('/dashboard/arrange'),
    })
  }

  /** Renders the dashboard's content without the layout, for refreshing the page. */
  async content(ctx: HttpContext) {
    return await this.site.render(ctx, 'partials/dashboard_content', await this.#data(ctx, true))
  }

  /**
   * Renders the content of a card of the application.
   *
   * @throws WithheldPage  for a card that the user can't see
   */
  async card(ctx: HttpContext) {
    const stored = await storedDashboard(ctx, this.site)
    const cards = await visibleCards(ctx, this.site, stored)
    const card = cards.get(ctx.params.name)
    if (!card) throw new WithheldPage()
    const body = await cardBody(ctx, this.site, card)
    return await this.site.render(ctx, 'partials/cards/content', {
      card: { ...this.#facts(card, stored), body },
    })
  }

  /** @param isWhole  true to compute the cards of the application now; otherwise the page loads each one */
  async #data(ctx: HttpContext, isWhole: boolean) {
    const stored = await storedDashboard(ctx, this.site)
    const cards = await visibleCards(ctx, this.site, stored)
    const arranged = arrangedCards(stored, availableCards(ctx, this.site, cards))
    const shown = new Set(arranged.map(({ name }) => name))
    const [placed, own] = await Promise.all([
      Promise.all(
        arranged.map(async ({ name, width }) => {
          const card = cards.get(name)
          if (!card) return { name, width, isPending: false, isOwn: true }
          const body = isWhole ? await cardBody(ctx, this.site, card) : null
          return { ...this.#facts(card, stored), width, isPending: !isWhole, isOwn: false, body }
        })
      ),
      this.#own(ctx, shown),
    ])
    return { placed, ...own }
  }

  #facts(card: AdminCard, { mine }: AddedCards) {
    const name = nameOfCard(card)
    const isMine = mine.some((one) => one.name === name)
    return {
      name,
      edit: isMine ? this.site.url(`/dashboard/cards/${name}/edit`) : null,
      id: `card-${name}`,
      isList: card instanceof ListCard,
      label: card.label,
      url: this.site.url(`/dashboard/cards/${name}`),
    }
  }

  /** Returns the data of the built-in cards that are shown. */
  async #own(ctx: HttpContext, shown: ReadonlySet<string>) {
    const all = await visibleViews(this.site, ctx)
    const views = all.filter(({ adminModel }) =>
      shown.has(adminModel ? 'site.management' : 'site.models')
    )
    const ofApplication = all.filter(({ adminModel }) => !adminModel)
    const needsDays = shown.has('site.chart') || shown.has('site.models')
    const leftOut: string[] = []
    const [counted, created, recent, mine] = await Promise.all([
      Promise.all(views.map((view) => this.#count(ctx, view))),
      needsDays
        ? createdPerDay(
            ctx,
            ofApplication,
            (error) => report(ctx, error, 'The chart of the dashboard has a gap'),
            ({ label }) => leftOut.push(label)
          )
        : null,
      shown.has('site.activity') ? recentEvents(this.site, ctx) : undefined,
      shown.has('site.mine') ? recentRecords(this.site, ctx) : undefined,
    ])
    const texts = {
      title: this.site.text('dashboard.chart.title'),
      description: this.site.text('dashboard.chart.description', { zone: presentZone() }),
    }
    const imported = created ? importedModels(created, counted) : []
    const days = created ? withoutModels(created, imported) : null
    return {
      models: counted
        .filter(({ adminModel }) => !adminModel)
        .map((model) => ({ ...model, trend: this.#trendOf(model, created, imported) })),
      authTables: counted.filter(({ adminModel }) => adminModel),
      chart: days && (days.some(({ count }) => count > 0) ? recordsChart(days, texts) : ''),
      chartTable: days ?? [],
      chartGaps: [
        ...(leftOut.length > 0 ? [this.#gap('leftOut', leftOut)] : []),
        ...(imported.length > 0
          ? [
              this.#gap(
                'together',
                counted.filter(({ name }) => imported.includes(name)).map(({ label }) => label)
              ),
            ]
          : []),
      ],
      recent,
      mine,
      allEvents: mayReadEvents(this.site, ctx) ? this.site.url('/management/events') : null,
    }
  }

  #gap(text: 'leftOut' | 'together', labels: readonly string[]): string {
    return this.site.text(`dashboard.chart.${text}`, { models: labels.toSorted().join(', ') })
  }

  /** Returns the card of a model. Its count is null if counting fails, or if the count would reveal a hidden column. */
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
   * Returns the number of new records of a model in the last days, as bars and in words.
   * @returns null if the model has no creation time or no new records, or if an import created all of its records on
   * one day
   */
  #trendOf({ name }: { name: string }, created: CreatedPerDay | null, imported: readonly string[]) {
    const counts = created?.ofModel.get(name)?.slice(-TREND_DAYS)
    if (!counts || imported.includes(name)) return null
    const count = counts.reduce((sum, one) => sum + one, 0)
    if (count === 0) return null
    const text = this.site.text('dashboard.trend', { count, days: TREND_DAYS })
    return { drawing: trend(counts), text }
  }
}

/** Returns false for a filter on a column that is hidden from the viewer, because the count would reveal its values. */
function isShown({ resource }: ModelView, filter: string): boolean {
  const { column } = parseFilterName(filter)
  return !resource.projection?.hidden.has(column)
}

/** Logs a failure, except a denial by the policy. */
function report(ctx: HttpContext, error: unknown, text: string) {
  if (!isForbidden(error)) ctx.logger.error({ err: error }, text)
}
