import string from '@adonisjs/core/helpers/string'
import type { MeasureName } from '#crud/internals'

/** Function that a number applies to its records: their number, or a figure of a column such as `avg:price` */
export type CardSelect = 'count' | `${MeasureName}:${string}`

/**
 * A card of the dashboard: a class in `app/admin_cards/` that extends `NumberCard`, `ChartCard`, `ListCard` or
 * `TextCard`.
 */
export abstract class AdminCard {
  /** Heading of the card */
  abstract readonly label: string
  /** Name in arrangements of dashboards. Default: from the class name, `unpaid_orders` for `UnpaidOrdersCard` */
  readonly name?: string
  /** Name in the `cards` of roles that allow the card. Default: the name */
  readonly permission?: string
  /** Width until the user chooses another one: 1 to 4 of four columns */
  readonly width?: CardWidth
  /** Seconds for which a result is cached, for each user and each set of permissions */
  readonly seconds: number = 30
}

export type CardWidth = 1 | 2 | 3 | 4

/** A card that reads records of a model, with the permissions of the user. */
abstract class ModelCard extends AdminCard {
  /** Class name of a model in the site, such as `Film` */
  abstract readonly model: string
  /** Query string of the model's list, such as `filter.status=paid` */
  readonly query: string = ''
}

/**
 * A number. If the query contains a period of days, as in `filter.ordered_on__between=last_30_days`, the number is
 * compared with that of the previous period.
 */
export abstract class NumberCard extends ModelCard {
  readonly select: CardSelect = 'count'
}

/** A chart, drawn on the server, with its numbers as a table. */
export abstract class ChartCard extends ModelCard {
  readonly select: 'count' | `sum:${string}` = 'count'
  readonly kind: 'bars' | 'lines' | 'stacked' = 'bars'
  /**
   * API name of the column for the axis, which has one entry per value, or per day, week or month of a date;
   * `stacked` charts need a second column
   */
  abstract readonly groupBy: string | readonly [string, string]
  /** Days of a date axis if the query has no period: the last 30 days, or those from the first record to the last */
  readonly period: 'last_30_days' | 'all' = 'last_30_days'
}

/** The first rows of a list. */
export abstract class ListCard extends ModelCard {
  /** Maximum number of rows */
  readonly rows: number = 5
  /** Name of a saved view that is shared, or the user's own; its query applies in addition to `query` */
  readonly view?: string
}

/** A text in Markdown. */
export abstract class TextCard extends AdminCard {
  abstract readonly text: string
}

/** Returns the name of a card in arrangements and URLs. */
export function nameOfCard(card: AdminCard): string {
  const { name } = card.constructor
  return card.name ?? string.snakeCase(name.replace(/(?<=.)Card$/, ''))
}

/** Returns the name by which roles allow a card. */
export function permissionOfCard(card: AdminCard): string {
  return card.permission ?? nameOfCard(card)
}

/** The parts of a site that cards need. */
export interface WithCards {
  /** Cards of the application, by name */
  readonly cards: ReadonlyMap<string, AdminCard>
}
