import type { HttpContext } from '@adonisjs/core/http'
import { presentZone } from '../../time/time_zone.js'
import type { NumberCard } from '../../views/admin_card.js'
import { listOfCard, type CardSite } from './card_list.js'
import { inPeriod, periodBefore, periodOf } from './period.js'
import { shownValues, valueIn } from './shown_value.js'

/** Content of a card with a number */
export interface NumberBody {
  kind: 'number'
  text: string
  /** Comparison with the previous period; null if the query has no period */
  before: { text: string; change: string | null; direction: 'up' | 'down' | 'same' } | null
  /** URL of the list of these records */
  url: string
}

/** Computes the number of a card, and the number of the previous period. */
export async function numberBody(
  ctx: HttpContext,
  site: CardSite,
  card: NumberCard
): Promise<NumberBody> {
  const parameters = await listOfCard(ctx, site, card)
  const { view } = parameters
  const { select } = card
  const found = periodOf(parameters, presentZone())
  const earlier =
    found &&
    parameters.without(found.filter).with({
      fixed: [
        ...parameters.fixed,
        inPeriod(found.column, periodBefore(found.period, found.filter.text)),
      ],
    })
  const lists = earlier ? [parameters, earlier] : [parameters]
  const rows = await Promise.all(
    lists.map((list) => view.crud.aggregate(list.toRequest(), { ...view.callOptions(ctx), select }))
  )
  const values = rows.map(([row]) => valueIn(row, select))
  const [text, before] = shownValues(site, view, select, values)
  return {
    kind: 'number',
    text,
    before: earlier ? { text: before, ...changeBetween(values[1], values[0]) } : null,
    url: parameters.url,
  }
}

function changeBetween(before: string | number, now: string | number) {
  const [old, current] = [Number(before), Number(now)]
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
