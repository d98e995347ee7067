import type { HttpContext } from '@adonisjs/core/http'
import type { DatabaseConfig } from '../../config/database_config.js'
import { adminActor } from '../../identity/admin_actor.js'
import { readList } from '../../list/read_list.js'
import type { ListParameters } from '../../list/list_parameters.js'
import { placeOf, type ListStores } from '../../list/saved_views/place_of.js'
import { may, personal } from '../../permissions/may.js'
import { permissionOfCard, type AdminCard } from '../../views/admin_card.js'
import type { Site } from '../../views/site.js'
import { ListCard } from '../../views/admin_card.js'
import { isModelCard, type CardOfModel } from './find_cards.js'

/** The parts of the site that cards use */
export type CardSite = Site & ListStores & { readonly dbConfig: DatabaseConfig }

/**
 * Thrown if a filter or column in the query of a card is ignored, because the card would then show other records.
 */
export class UnreadCard extends Error {
  constructor({ constructor: { name } }: AdminCard, { errors }: ListParameters) {
    const filters = errors.map((filter) => filter.name).join(', ')
    super(`The query of the card ${name} can't be applied${filters && `: ${filters}`}`)
  }
}

/**
 * Returns the cards that the signed-in user can see: the user's roles list them, and allow viewing their models.
 */
export async function visibleCards(
  ctx: HttpContext,
  site: CardSite
): Promise<Map<string, AdminCard>> {
  const actor = adminActor(ctx)
  const cards = await Promise.all(
    [...site.cards].map(async (entry) => {
      const [, card] = entry
      if (!(await site.permissions.mayOpen(actor, 'cards', permissionOfCard(card)))) return []
      if (!isModelCard(card)) return [entry]
      const own = await personal(ctx, site.models.get(card.model)!)
      return own && (await may(ctx, own, 'view')) ? [entry] : []
    })
  )
  return new Map(cards.flat())
}

/**
 * Reads the list of a card as the signed-in user sees it: columns that the user cannot see are unknown in its query.
 *
 * @throws UnreadCard  if a part of the query would be ignored
 */
export async function listOfCard(
  ctx: HttpContext,
  site: CardSite,
  card: CardOfModel
): Promise<ListParameters> {
  const view = await site.models.get(card.model)!.for(ctx)
  if (!view.resource.isLoaded) await view.resource.load()
  const query = new URLSearchParams(card.query)
  if (card instanceof ListCard && card.view !== undefined) {
    const { views } = await placeOf(ctx, site, view)
    const saved = views.find(({ name }) => name === card.view)
    query.set('view', String(saved?.id ?? 'none'))
  }
  const parameters = await readList(ctx, site, view, query.toString())
  if (parameters.isUnread) throw new UnreadCard(card, parameters)
  return parameters
}
