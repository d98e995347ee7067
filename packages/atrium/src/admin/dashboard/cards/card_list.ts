import type { HttpContext } from '@adonisjs/core/http'
import type { WithDatabase } from '../../config/database_config.js'
import { adminActor } from '../../identity/admin_actor.js'
import { readList, type ListSite } from '../../list/read_list.js'
import type { ListParameters } from '../../list/list_parameters.js'
import { listSettings } from '../../list/saved_views/list_settings.js'
import { may, personal } from '../../permissions/may.js'
import {
  ListCard,
  nameOfCard,
  permissionOfCard,
  type AdminCard,
  ChartCard,
  NumberCard,
  type CardSelect,
} from '../../views/admin_card.js'
import type { ModelView } from '../../views/model_view.js'
import { isModelCard, type CardOfModel } from './find_cards.js'
import { randomBytes } from 'node:crypto'
import { BoundedMap } from '#base/bounded_map'

/** The parts of the site that cards use */
export type CardSite = ListSite & WithDatabase

/** Thrown if a model, filter or column of a card is unknown to the user, or its records can't be aggregated. */
export class UnreadCard extends Error {
  constructor(card: AdminCard, parts: readonly string[]) {
    const names = parts.join(', ')
    super(`The card ${nameOfCard(card)} can't be read${names && `: ${names}`}`)
  }
}

/** Cards from lists that are stored for a user, and for the user's roles */
export interface AddedCards {
  mine: readonly AddedCard[]
  ofRoles: readonly AddedCard[]
}

/**
 * Returns the cards of the signed-in user: classes that the user's roles list, and added cards. Cards of models
 * that the user can't view are left out, except those that the user has added, so that they can be removed.
 */
export async function visibleCards(
  ctx: HttpContext,
  site: CardSite,
  { mine, ofRoles }: AddedCards
): Promise<Map<string, AdminCard>> {
  const actor = adminActor(ctx)
  const classes = [...site.cards].map(async (entry) => {
    const isAllowed = await site.permissions.mayOpen(actor, 'cards', permissionOfCard(entry[1]))
    return isAllowed ? await ifViewable(entry) : []
  })
  const ifViewable = async (entry: [string, AdminCard]) =>
    !isModelCard(entry[1]) || (await viewOfCard(ctx, site, entry[1])) ? [entry] : []
  const shared = ofRoles.map((stored) => ifViewable([stored.name, cardOf(stored)]))
  const cards = await Promise.all([...classes, ...shared])
  const own = mine.map((stored): [string, AdminCard] => [stored.name, cardOf(stored)])
  return new Map([...cards.flat(), ...own])
}

/** Returns the model's view for the signed-in user; null without a permission to view its list. */
export async function viewOfCard(
  ctx: HttpContext,
  site: CardSite,
  { model }: CardOfModel
): Promise<ModelView | null> {
  const view = site.models.get(model)
  const own = view && (await personal(ctx, view))
  return own && (await may(ctx, own, 'view')) ? own : null
}

/**
 * Reads the list of a card as the signed-in user sees it: columns that the user cannot see are unknown in its query.
 *
 * @throws UnreadCard  if the user can't view the list, or a part of the query would be ignored
 */
export async function listOfCard(
  ctx: HttpContext,
  site: CardSite,
  card: CardOfModel
): Promise<ListParameters> {
  const view = await viewOfCard(ctx, site, card)
  if (!view) throw new UnreadCard(card, [card.model])
  if (!view.resource.isLoaded) await view.resource.load()
  const query = new URLSearchParams(card.query)
  if (card instanceof ListCard && card.view !== undefined) {
    const { views } = await listSettings(ctx, site, view)
    const saved = views.find(({ name }) => name === card.view)
    query.set('view', String(saved?.id ?? 'none'))
  }
  const parameters = await readList(ctx, site, view, query.toString())
  if (parameters.isUnread) {
    throw new UnreadCard(
      card,
      parameters.errors.map(({ name }) => name)
    )
  }
  return parameters
}

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
