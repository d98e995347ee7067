import type { HttpContext } from '@adonisjs/core/http'
import { dialectOf } from '#base/database/dialects'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { viewedRoleOf } from '../permissions/view_as_guard.js'
import { ChartCard, ListCard, type AdminCard, type CardWidth } from '../views/admin_card.js'
import {
  visibleCards,
  type AddedCards,
  type CardSite,
  cardOf,
  readAddedCard,
  readAddedCards,
  type AddedCard,
} from './cards/card_list.js'

/** A card on a dashboard, and its width: one to four columns */
export interface PlacedCard {
  name: string
  width: CardWidth
  /** In the default of a role: the added card that a superuser has put there */
  card?: AddedCard
}

/**
 * Built-in cards of the site and their widths. A dot in a name distinguishes them from cards of the application.
 */
const OWN_CARDS = {
  'site.models': 4,
  'site.mine': 2,
  'site.activity': 2,
  'site.chart': 4,
  'site.management': 4,
} as const satisfies Record<string, CardWidth>

type OwnCard = keyof typeof OWN_CARDS

export const WIDTHS = [1, 2, 3, 4] as const

/* Names of the user's preferences */
const PREFERENCE = 'dashboard'
const ADDED_CARDS = 'dashboard.cards'
const TABLE = 'admin_role_dashboards'
const MOST_CARDS = 200

/** Returns all cards that the signed-in user can put on the dashboard, in the usual order, with their usual widths. */
export function availableCards(
  ctx: HttpContext,
  site: CardSite,
  cards: ReadonlyMap<string, AdminCard>
): PlacedCard[] {
  const isOffered = (name: OwnCard) =>
    name === 'site.management'
      ? isSuperuser(ctx)
      : hasEventLog(site) || (name !== 'site.mine' && name !== 'site.activity')
  const own = (Object.keys(OWN_CARDS) as OwnCard[])
    .filter(isOffered)
    .map((name) => ({ name, width: OWN_CARDS[name] }))
  const added = [...cards]
    .map(([name, card]) => ({ name, width: card.width ?? usualWidth(card) }))
    .toSorted((one, other) => rank(one) - rank(other))
  const [models, ...others] = own
  return [models, ...added, ...others]
}

/**
 * Returns the rank of a card in the usual order: small cards next to each other, then wider ones before narrower ones.
 */
function rank({ width }: PlacedCard): number {
  return width === 1 ? 0 : 5 - width
}

function usualWidth(card: AdminCard): CardWidth {
  return card instanceof ChartCard || card instanceof ListCard ? 2 : 1
}

/** What is stored of a dashboard */
export interface StoredDashboard extends AddedCards {
  /** The user's arrangement, else the default of one of the user's roles; null without both */
  chosen: readonly PlacedCard[] | null
}

/** Returns what `readDashboard` reads; all cards if it cannot be read, which is logged. */
export async function storedDashboard(ctx: HttpContext, site: CardSite): Promise<StoredDashboard> {
  try {
    return await readDashboard(ctx, site)
  } catch (error) {
    ctx.logger.error({ err: error }, 'How the user has arranged the dashboard is not known')
    return { chosen: null, mine: [], ofRoles: [] }
  }
}

/**
 * Reads what is stored of the signed-in user's dashboard, or of the default of a role.
 *
 * @param roleId  the role whose default is arranged, or that a superuser views the site as
 */
export async function readDashboard(
  ctx: HttpContext,
  site: CardSite,
  roleId = viewedRoleOf(ctx)
): Promise<StoredDashboard> {
  const { id } = guardOf(ctx).signedInOrFail().owner
  const [preferences, defaults] = await Promise.all([
    site.preferences.read(id, [PREFERENCE, ADDED_CARDS]),
    roleId === undefined ? defaultsOfUser(site, id) : defaultsOfRole(site, roleId),
  ])
  const own = roleId === undefined ? readArrangement(preferences.get(PREFERENCE)) : null
  const isViewingAs = viewedRoleOf(ctx) !== undefined
  return {
    chosen: own ?? defaults[0] ?? null,
    mine: isViewingAs ? [] : readAddedCards(preferences.get(ADDED_CARDS)),
    ofRoles: defaults.flat().flatMap(({ card }) => card ?? []),
  }
}

/**
 * Returns the cards of a dashboard; all if they are not arranged. Cards that the user can't see are left out.
 *
 * @param available  result of `availableCards`
 */
export function arrangedCards(
  { chosen }: StoredDashboard,
  available: readonly PlacedCard[]
): PlacedCard[] {
  const known = new Set(available.map(({ name }) => name))
  const shown = (chosen ?? available).filter(({ name }) => known.has(name))
  return shown.map(({ name, width }) => ({ name, width }))
}

/** Adds a card to the signed-in user's dashboard, after the other cards that are not built in. */
export async function addCard(ctx: HttpContext, site: CardSite, card: AddedCard): Promise<void> {
  const { owner } = guardOf(ctx).signedInOrFail()
  const stored = await readDashboard(ctx, site)
  const cards = await visibleCards(ctx, site, stored)
  const arranged = arrangedCards(stored, availableCards(ctx, site, cards))
  const last = arranged.findLastIndex(({ name }) => !(name in OWN_CARDS))
  const placed = { name: card.name, width: usualWidth(cardOf(card)) }
  await site.preferences.write(owner.id, {
    [ADDED_CARDS]: [...stored.mine, card],
    [PREFERENCE]: arranged.toSpliced(last < 0 ? 1 : last + 1, 0, placed),
  })
}

/** Stores the cards that a user has added from lists. */
export async function storeAdded(
  site: CardSite,
  userId: number,
  cards: readonly AddedCard[]
): Promise<void> {
  await site.preferences.write(userId, { [ADDED_CARDS]: cards.length > 0 ? cards : null })
}

/**
 * Stores the arrangement of a user's dashboard.
 *
 * @param cards  null for the default of the user's roles
 */
export async function storeOwn(
  site: CardSite,
  userId: number,
  cards: readonly PlacedCard[] | null
): Promise<void> {
  await site.preferences.write(userId, { [PREFERENCE]: cards })
}

/** Returns the defaults of the user's roles. */
async function defaultsOfUser(site: CardSite, userId: number): Promise<PlacedCard[][]> {
  return await readDefaults(
    site,
    `select ${TABLE}.cards as cards from ${TABLE}
      join admin_user_roles on admin_user_roles.role_id = ${TABLE}.role_id
      where admin_user_roles.user_id = ? order by ${TABLE}.role_id`,
    userId
  )
}

async function defaultsOfRole(site: CardSite, roleId: number): Promise<PlacedCard[][]> {
  return await readDefaults(site, `select cards from ${TABLE} where role_id = ?`, roleId)
}

async function readDefaults({ dbConfig }: CardSite, sql: string, id: number) {
  const client = dbConfig.readingSession()
  const rows = await dialectOf(client).selectRows(client, sql, [id])
  return rows.flatMap((row) => {
    const cards = readArrangement(JSON.parse(String(row.cards)))
    return cards ? [cards] : []
  })
}

/**
 * Stores the default arrangement of a role.
 *
 * @param cards  null to remove the default of the role
 */
export async function storeDefault(
  { dbConfig }: CardSite,
  roleId: number,
  cards: readonly PlacedCard[] | null
): Promise<void> {
  await dbConfig.adminSession().transaction(async (client) => {
    await client.from(TABLE).where('role_id', roleId).delete()
    if (!cards) return
    await client.table(TABLE).insert({ role_id: roleId, cards: JSON.stringify(cards) })
  })
}

/** Reads a stored arrangement without invalid entries; null for a value that is not a list. */
function readArrangement(value: unknown): PlacedCard[] | null {
  if (!Array.isArray(value)) return null
  const seen = new Set<string>()
  return value.slice(0, MOST_CARDS).flatMap((one): PlacedCard[] => {
    const { name, width, card } = Object(one) as Record<string, unknown>
    if (typeof name !== 'string' || seen.has(name)) return []
    seen.add(name)
    return [{ name, width: readWidth(width) ?? 4, card: readAddedCard(card) }]
  })
}

/** Returns a width, or undefined for any other value. */
export function readWidth(value: unknown): CardWidth | undefined {
  return WIDTHS.find((width) => String(width) === String(value))
}
