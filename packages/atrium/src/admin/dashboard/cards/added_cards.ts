import { randomBytes } from 'node:crypto'
import { BoundedMap } from '#base/bounded_map'
import { ChartCard, ListCard, NumberCard, type CardSelect } from '../../views/admin_card.js'
import type { CardOfModel } from './find_cards.js'

/** Maximum number of added cards of a user, and of the default of a role */
export const MOST_ADDED = 20

/* Maximum length of the query of a list; `MOST_ADDED` of them fit into a column with the other members */
export const LONGEST_QUERY = 2000

export const CARD_KINDS = ['number', 'chart', 'rows'] as const

/** A card that a user has added from a list */
export interface AddedCard {
  /** Random; the dot distinguishes it from names of classes */
  readonly name: `added.${string}`
  readonly label: string
  /** Class name of the model */
  readonly model: string
  /** Query string of the list */
  readonly query: string
  readonly kind: (typeof CARD_KINDS)[number]
  readonly select: CardSelect
  /** API name of the column on the axis; empty for other kinds */
  readonly groupBy: string
}

export function newCardName(): AddedCard['name'] {
  return `added.${randomBytes(9).toString('base64url')}`
}

/** Returns true for the name of an added card. */
export function isAddedName(name: string): name is AddedCard['name'] {
  return name.startsWith('added.')
}

/** Reads a card from stored JSON; undefined for another value. */
export function readAddedCard(value: unknown): AddedCard | undefined {
  const { name, label, model, query, kind, select, groupBy } = Object(value) as AddedCard
  const members = { name, label, model, query, kind, select, groupBy }
  const isRead =
    Object.values(members).every((member) => typeof member === 'string') &&
    isAddedName(name) &&
    CARD_KINDS.includes(kind)
  return isRead ? members : undefined
}

/** Reads the cards of a user from a stored preference. */
export function readAddedCards(value: unknown): AddedCard[] {
  const cards = Array.isArray(value) ? value : []
  return cards.slice(0, MOST_ADDED).flatMap((one) => readAddedCard(one) ?? [])
}

const KINDS = {
  number: class extends NumberCard {
    label = ''
    model = ''
  },
  chart: class extends ChartCard {
    label = ''
    model = ''
    groupBy = ''
    period = 'all' as const
  },
  rows: class extends ListCard {
    label = ''
    model = ''
  },
}

const CARDS = new BoundedMap<string, CardOfModel>(1000)

/** Returns the card of a definition; the same object for the same definition, as results are cached by card. */
export function cardOf({ kind, ...members }: AddedCard): CardOfModel {
  const id = JSON.stringify([kind, members])
  let card = CARDS.get(id)
  if (!card) CARDS.set(id, (card = Object.assign(new KINDS[kind](), members)))
  return card
}
