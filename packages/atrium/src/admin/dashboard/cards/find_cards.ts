import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#crud'
import { isList, LABEL, POSITIVE, TEXT, type Check } from '#base/checks'
import { listed } from '#base/errors'
import { checkMembers, findClasses, optional, type ClassOf } from '../../pages/find_pages.js'
import {
  AdminCard,
  ChartCard,
  ListCard,
  nameOfCard,
  NumberCard,
  TextCard,
} from '../../views/admin_card.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'

/** The parts of the site that cards are added to */
interface CardRegistry extends Pick<Site, 'models'> {
  readonly cards: Map<string, AdminCard>
}

const MOST_ROWS = 50
const MOST_SECONDS = 3600
const FIGURE = /^(?:count|(?:sum|avg|min|max):(.+))$/
const SUM = /^(?:count|sum:(.+))$/

const CHECKS: Readonly<Record<string, Check>> = {
  label: LABEL,
  name: optional([
    (value) => typeof value === 'string' && /^[\w-]+$/.test(value),
    'a name of letters, digits, - and _',
  ]),
  permission: optional(LABEL),
  width: optional([(value) => [1, 2, 3, 4].includes(value), '1, 2, 3 or 4']),
  seconds: [
    (value) => POSITIVE[0](value) && value <= MOST_SECONDS,
    `a whole number from 1 to ${MOST_SECONDS}`,
  ],
}

const OF_MODEL: Readonly<Record<string, Check>> = { model: LABEL, query: TEXT }

const SELECTED_FIGURE: Check = [
  (value) => typeof value === 'string' && FIGURE.test(value),
  "'count', or 'sum:', 'avg:', 'min:' or 'max:' with a column as in 'sum:us_gross'",
]

const SELECTED_SUM: Check = [
  (value) => typeof value === 'string' && SUM.test(value),
  "'count', or 'sum:' with a column as in 'sum:us_gross'",
]

const GROUPED: Check = [
  (value) =>
    LABEL[0](value) || (isList(value, LABEL[0]) && [1, 2].includes([...(value as [])].length)),
  "a column's name, or two for stacked bars",
]

/**
 * Adds the cards of `app/admin_cards` to the site. Call it after the models are registered.
 * @returns errors of files and cards; these cards are left out
 */
export async function addCards(app: ApplicationService, site: CardRegistry): Promise<Error[]> {
  const { classes, errors } = await findClasses<AdminCard>(app, 'admin_cards', AdminCard)
  for (const Card of classes) {
    try {
      addCard(site, Card)
    } catch (error) {
      errors.push(error as Error)
    }
  }
  return errors
}

/**
 * Adds a card to the site.
 *
 * @throws ValueError  for an invalid member, or a name that another card has
 */
export function addCard(site: CardRegistry, Card: ClassOf<AdminCard>): AdminCard {
  const card = new Card()
  const place = `The card ${Card.name}`
  checkMembers(place, card, CHECKS)
  if (card instanceof TextCard) checkMembers(place, card, { text: TEXT })
  else checkModelCard(place, site, card)
  const name = nameOfCard(card)
  const other = site.cards.get(name)
  if (other) {
    throw new ValueError(
      `${place} and ${other.constructor.name} are both named '${name}'; give one of them another name`
    )
  }
  site.cards.set(name, card)
  return card
}

function checkModelCard(place: string, site: CardRegistry, card: AdminCard): void {
  if (!isModelCard(card)) {
    throw new ValueError(`${place} extends none of NumberCard, ChartCard, ListCard and TextCard`)
  }
  checkMembers(place, card, OF_MODEL)
  const view = site.models.get(card.model)
  if (!view) {
    const names = [...site.models.values()].filter(({ adminModel }) => !adminModel)
    throw new ValueError(
      `${place} has the model '${card.model}', which the site does not have; models are ${listed(names.map(({ name }) => name))}`
    )
  }
  if (card instanceof ListCard) {
    checkMembers(place, card, {
      rows: [
        (value) => POSITIVE[0](value) && value <= MOST_ROWS,
        `a whole number from 1 to ${MOST_ROWS}`,
      ],
      view: optional(LABEL),
    })
    return
  }
  checkMembers(place, card, {
    select: card instanceof NumberCard ? SELECTED_FIGURE : SELECTED_SUM,
  })
  const [, summed] = FIGURE.exec(card.select)!
  checkColumns(place, view, 'select', summed === undefined ? [] : [summed])
  if (!(card instanceof ChartCard)) return
  checkMembers(place, card, {
    kind: [(value) => ['bars', 'lines', 'stacked'].includes(value), "'bars', 'lines' or 'stacked'"],
    groupBy: GROUPED,
    period: [(value) => ['last_30_days', 'all'].includes(value), "'last_30_days' or 'all'"],
  })
  const groups = [card.groupBy].flat()
  if (groups.length > 1 && card.kind !== 'stacked') {
    throw new ValueError(`${place} has two columns in groupBy, which only the kind 'stacked' shows`)
  }
  checkColumns(place, view, 'groupBy', groups)
}

/** A card that reads records of a model */
export type CardOfModel = NumberCard | ChartCard | ListCard

export function isModelCard(card: AdminCard): card is CardOfModel {
  return card instanceof NumberCard || card instanceof ChartCard || card instanceof ListCard
}

function checkColumns(
  place: string,
  { name, resource }: ModelView,
  member: string,
  columns: readonly string[]
): void {
  const unknown = columns.find((one) => !resource.columns.find(one))
  if (unknown === undefined) return
  const known = resource.columns.all.map(({ apiName }) => apiName)
  throw new ValueError(
    `${place}: ${member} names ${unknown}, which is not a column of ${name}; columns are ${listed(known)}`
  )
}
