import type { HttpContext } from '@adonisjs/core/http'
import { BoundedMap } from '#base/bounded_map'
import { OutOfTime, resultWithin } from '#base/database/time_limit'
import { renderMarkdown } from '../../forms/fields/widgets/markdown_widget.js'
import { adminActor } from '../../identity/admin_actor.js'
import { guardOf } from '../../identity/admin_guard.js'
import { writtenPeriod } from '../../time/local_time.js'
import { presentZone } from '../../time/time_zone.js'
import {
  ChartCard,
  ListCard,
  nameOfCard,
  NumberCard,
  type AdminCard,
  type TextCard,
} from '../../views/admin_card.js'
import { type CardSite, listOfCard, UnreadCard, isAddedName } from './card_list.js'
import { draw } from '../../charts/charts.js'
import { aggregatedList, chartData, shownValues, TooManyGroups, valueIn } from './series.js'
import { inPeriod, periodBefore, periodOf, type Period } from './period.js'
import { chosenNames } from '../../list/columns/column_choices.js'
import { ListTable } from '../../list/list_table.js'
import { rowsMarkup } from '../../list/rows_markup.js'

/* Maximum number of columns, because a card is narrower than a list */
const MOST_COLUMNS = 4

/** Content of a card with the first rows of a list */
interface RowsBody {
  kind: 'rows'
  headings: Array<{ label: string; style: string }>
  /** Markup of the rows; empty if there are none */
  markup: string
  url: string
}

/** Reads the first rows of a list for a card. */
async function rowsBody(ctx: HttpContext, site: CardSite, card: ListCard): Promise<RowsBody> {
  const parameters = await listOfCard(ctx, site, card)
  const { view } = parameters
  const names = chosenNames(view, parameters.shownColumns).slice(0, MOST_COLUMNS)
  const table = new ListTable(site, view, names)
  const request = parameters
    .with({ page: 1, rows: card.rows })
    .toRequest({ count: false, fields: table.fields })
  const { data } = await view.crud.getMulti(request, { ...view.callOptions(ctx), keys: true })
  const rows = await table.rows(ctx, data, parameters)
  const mark = site.text('list.deleted.mark')
  return {
    kind: 'rows',
    headings: table.columns.map(({ label }, at) => ({ label, style: table.styles[at].style })),
    markup: rowsMarkup(rows, table.styles, { hasCheckboxes: false, mark, marked: null }),
    url: parameters.url,
  }
}

/** Content of a card with a number */
interface NumberBody {
  kind: 'number'
  text: string
  /** Comparison with the previous period; null if the query has no period */
  before: {
    change: string | null
    direction: 'up' | 'down' | 'same'
    /** Data of the sentence */
    words: { value: string; change: string; period: string; days: number }
  } | null
  /** URL of the list of these records */
  url: string
}

/** Computes the number of a card, and the number of the previous period. */
async function numberBody(ctx: HttpContext, site: CardSite, card: NumberCard): Promise<NumberBody> {
  const { parameters, summary } = await aggregatedList(ctx, site, card)
  const { view } = parameters
  const { select } = card
  const found = periodOf(parameters, presentZone())
  const period = found && periodBefore(found.period, found.filter.text)
  const earlier =
    period &&
    parameters
      .without(found.filter)
      .with({ fixed: [...parameters.fixed, inPeriod(found.column, period)] })
  const lists = earlier ? [parameters, earlier] : [parameters]
  const rows = await Promise.all(
    lists.map((list) => view.crud.aggregate(list.toRequest(), { ...view.callOptions(ctx), select }))
  )
  const values = rows.map(([row]) => valueIn(row, select))
  const [text, before] = shownValues(site, view, summary, values)
  return {
    kind: 'number',
    text,
    before: period && comparison(period, before, values),
    url: parameters.url,
  }
}

function comparison(
  { from, to }: Period,
  value: string,
  [now, before]: ReadonlyArray<string | number | null>
): NonNullable<NumberBody['before']> {
  const { change, direction } = changeBetween(before, now)
  const days = Math.round(to.diff(from, 'days').days) + 1
  const period = writtenPeriod(from, to)
  return { change, direction, words: { value, change: change ?? 'none', days, period } }
}

function changeBetween(before: string | number | null, now: string | number | null) {
  const [old, current] = [before, now].map((value) => Number(value ?? Number.NaN))
  const direction = current > old ? 'up' : current < old ? 'down' : 'same'
  const part = old === 0 ? null : (current - old) / Math.abs(old)
  const change =
    part === null || !Number.isFinite(part)
      ? null
      : part.toLocaleString('en', {
          style: 'percent',
          maximumFractionDigits: Math.abs(part) < 0.1 ? 1 : 0,
          signDisplay: 'exceptZero',
        })
  return { change, direction } as const
}

/** Content of a card with a chart */
interface ChartBody {
  kind: 'chart'
  drawing: string
  /** Names of the series with the class of their colour; none for one series */
  legend: Array<{ label: string; style: string; color: string | undefined }>
  headings: string[]
  rows: Array<{ label: string; url: string | null; values: string[] }>
  url: string
}

/** Content of a card; `failed` if it could not be computed */
type CardBody =
  | NumberBody
  | ChartBody
  | RowsBody
  | { kind: 'text'; markup: string }
  | { kind: 'failed'; reason: 'unread' | 'tooMany' | 'failed' }

/** Milliseconds after which a card counts as failed, whatever it waits for */
export const timeLimits = { card: 10_000 }

const STORED_MAX = 1000

interface Stored {
  end: number
  body: Promise<CardBody>
}

const STORED = new WeakMap<object, BoundedMap<string, Stored>>()

/**
 * Returns the content of a card for the signed-in user. The result is cached for the number of seconds that the card
 * declares, separately for each user and set of permissions. An error is logged, and only this card shows it.
 */
export async function cardBody(
  ctx: HttpContext,
  site: CardSite,
  card: AdminCard
): Promise<CardBody> {
  let known = STORED.get(card)
  if (!known) STORED.set(card, (known = new BoundedMap(STORED_MAX)))
  const { id, permissionsVersion, viewedRole } = guardOf(ctx).signedInOrFail().owner
  /*
   * The key also contains a digest of the permissions, because `permissionsVersion` does not change with the user's
   * attributes or superuser flag.
   */
  const print = await site.permissions.printOf(adminActor(ctx))
  const key = JSON.stringify([id, permissionsVersion, viewedRole, presentZone(), print])
  const stored = known.get(key)
  if (stored && Date.now() < stored.end) return await stored.body
  const body = compute(ctx, site, card)
  known.set(key, { end: Date.now() + card.seconds * 1000, body })
  const result = await body
  if (result.kind === 'failed') known.set(key, { end: 0, body })
  return result
}

async function compute(ctx: HttpContext, site: CardSite, card: AdminCard): Promise<CardBody> {
  try {
    const body = await resultWithin(timeLimits.card, () => bodyOf(ctx, site, card))
    if (body) return body
    throw new OutOfTime()
  } catch (error) {
    const reason = reasonOf(error)
    const name = nameOfCard(card)
    /* A user's card that is outdated or too large is not an error of the application. */
    if (reason === 'failed' || !isAddedName(name)) {
      ctx.logger.error({ err: error }, `The card ${name} could not be computed`)
    }
    return { kind: 'failed', reason }
  }
}

function reasonOf(error: unknown): 'unread' | 'tooMany' | 'failed' {
  const { status } = Object(error) as { status?: number }
  if (error instanceof UnreadCard || status === 403) return 'unread'
  return error instanceof TooManyGroups || status === 422 ? 'tooMany' : 'failed'
}

async function bodyOf(ctx: HttpContext, site: CardSite, card: AdminCard): Promise<CardBody> {
  if (card instanceof NumberCard) return await numberBody(ctx, site, card)
  if (card instanceof ChartCard) return await chartBody(ctx, site, card)
  if (card instanceof ListCard) return await rowsBody(ctx, site, card)
  return { kind: 'text', markup: renderMarkdown((card as TextCard).text) }
}

async function chartBody(ctx: HttpContext, site: CardSite, card: ChartCard): Promise<ChartBody> {
  const { parameters, summary, isTime, buckets, series } = await chartData(ctx, site, card)
  const { view } = parameters
  const shown = series.map(({ label, color, values }) => ({
    label,
    color,
    values: values.map(Number),
    texts: shownValues(site, view, summary, values),
  }))
  const measure = summary
    ? site.text('dashboard.cards.sum', { label: view.labelOf(summary.column.apiName) })
    : site.text('dashboard.cards.records')
  return {
    kind: 'chart',
    drawing: draw({
      kind: card.kind,
      isTime,
      title: site.text('dashboard.cards.chart', { label: card.label }),
      labels: buckets.map(({ label }) => label),
      colors: buckets.map(({ color }) => color),
      series: shown,
    }),
    legend:
      series.length > 1
        ? series.map(({ label, color }, at) => ({ label, color, style: `key-${at}` }))
        : [],
    headings: [
      view.labelOf([card.groupBy].flat()[0]),
      ...(series.length > 1 ? series.map(({ label }) => label) : [measure]),
    ],
    rows: buckets.map(({ label, url }, at) => ({
      label,
      url,
      values: shown.map(({ texts }) => texts[at]),
    })),
    url: parameters.url,
  }
}
