import type { HttpContext } from '@adonisjs/core/http'
import { BoundedMap } from '#base/bounded_map'
import { OutOfTime, resultWithin } from '#base/database/time_limit'
import { renderMarkdown } from '../../forms/fields/widgets/markdown_widget.js'
import { adminActor } from '../../identity/admin_actor.js'
import { guardOf } from '../../identity/admin_guard.js'
import { presentZone } from '../../time/time_zone.js'
import { ChartCard, ListCard, nameOfCard, NumberCard } from '../../views/admin_card.js'
import type { AdminCard, TextCard } from '../../views/admin_card.js'
import type { CardSite } from './card_list.js'
import { draw } from './draw.js'
import { numberBody, type NumberBody } from './number.js'
import { rowsBody, type RowsBody } from './rows.js'
import { chartData } from './series.js'
import { shownValues } from './shown_value.js'

/** Content of a card with a chart */
export interface ChartBody {
  kind: 'chart'
  drawing: string
  /** Names of the series with the class of their colour; none for one series */
  legend: Array<{ label: string; style: string; color: string | undefined }>
  headings: string[]
  rows: Array<{ label: string; url: string | null; values: string[] }>
  url: string
}

/** Content of a card; `failed` if it could not be computed */
export type CardBody =
  NumberBody | ChartBody | RowsBody | { kind: 'text'; markup: string } | { kind: 'failed' }

/** Milliseconds after which a card counts as failed, whatever it waits for */
export const patience = { card: 10_000 }

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
    const body = await resultWithin(patience.card, () => bodyOf(ctx, site, card))
    if (body) return body
    throw new OutOfTime()
  } catch (error) {
    ctx.logger.error({ err: error }, `The card ${nameOfCard(card)} could not be computed`)
    return { kind: 'failed' }
  }
}

async function bodyOf(ctx: HttpContext, site: CardSite, card: AdminCard): Promise<CardBody> {
  if (card instanceof NumberCard) return await numberBody(ctx, site, card)
  if (card instanceof ChartCard) return await chartBody(ctx, site, card)
  if (card instanceof ListCard) return await rowsBody(ctx, site, card)
  return { kind: 'text', markup: renderMarkdown((card as TextCard).text) }
}

async function chartBody(ctx: HttpContext, site: CardSite, card: ChartCard): Promise<ChartBody> {
  const { parameters, isTime, buckets, series } = await chartData(ctx, site, card)
  const { view } = parameters
  const shown = series.map(({ label, color, values }) => ({
    label,
    color,
    values: values.map(Number),
    texts: shownValues(site, view, card.select, values),
  }))
  const measure =
    card.select === 'count'
      ? site.text('dashboard.cards.records')
      : site.text('dashboard.cards.sum', { label: view.labelOf(card.select.slice(4)) })
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
