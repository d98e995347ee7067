import type { HttpContext } from '@adonisjs/core/http'
import { dialectOf } from '#base/database/dialects'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { viewedRoleOf } from '../permissions/view_as_guard.js'
import { ChartCard, ListCard, type AdminCard, type CardWidth } from '../views/admin_card.js'
import type { CardSite } from './cards/card_list.js'

/** A card on a dashboard, and its width: one to four columns */
export interface PlacedCard {
  name: string
  width: CardWidth
}

/**
 * Built-in cards of the site and their widths. A dot in a name distinguishes them from cards of the application.
 */
export const OWN_CARDS = {
  'site.models': 4,
  'site.mine': 2,
  'site.activity': 2,
  'site.chart': 4,
  'site.management': 4,
} as const satisfies Record<string, CardWidth>

type OwnCard = keyof typeof OWN_CARDS

export const WIDTHS = [1, 2, 3, 4] as const

/** Name of the user's preference */
const PREFERENCE = 'dashboard'
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

/**
 * Returns the cards of the signed-in user's dashboard: as the user has arranged them, otherwise as one of the user's
 * roles has them by default, otherwise all. Cards that the user can't see are left out.
 *
 * @param available  result of `availableCards`
 */
export async function arrangedCards(
  ctx: HttpContext,
  site: CardSite,
  available: readonly PlacedCard[]
): Promise<PlacedCard[]> {
  try {
    const { id } = guardOf(ctx).signedInOrFail().owner
    const viewed = viewedRoleOf(ctx)
    const chosen =
      viewed === undefined
        ? ((await ownArrangement(site, id)) ?? (await defaultOfUser(site, id)))
        : await defaultOfRole(site, viewed)
    return chosen ? shownOf(chosen, available) : [...available]
  } catch (error) {
    ctx.logger.error({ err: error }, 'How the user has arranged the dashboard is not known')
    return [...available]
  }
}

/** Returns the cards of an arrangement that are still available. */
export function shownOf(
  chosen: readonly PlacedCard[],
  available: readonly PlacedCard[]
): PlacedCard[] {
  const known = new Set(available.map(({ name }) => name))
  return chosen.filter(({ name }) => known.has(name))
}

/** Returns the user's own arrangement, or null. */
export async function ownArrangement(site: CardSite, userId: number): Promise<PlacedCard[] | null> {
  const found = await site.preferences.read(userId, [PREFERENCE])
  return readArrangement(found.get(PREFERENCE))
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

/** Returns the default of the first of the user's roles that has one, or null. */
async function defaultOfUser(site: CardSite, userId: number): Promise<PlacedCard[] | null> {
  return await readDefault(
    site,
    `select ${TABLE}.cards as cards from ${TABLE}
      join admin_user_roles on admin_user_roles.role_id = ${TABLE}.role_id
      where admin_user_roles.user_id = ? order by ${TABLE}.role_id`,
    userId
  )
}

/** Returns the default arrangement of a role, or null. */
export async function defaultOfRole(site: CardSite, roleId: number): Promise<PlacedCard[] | null> {
  return await readDefault(site, `select cards from ${TABLE} where role_id = ?`, roleId)
}

async function readDefault({ dbConfig }: CardSite, sql: string, id: number) {
  const client = dbConfig.readingSession()
  const [row] = await dialectOf(client).selectRows(client, sql, [id])
  return row ? readArrangement(JSON.parse(String(row.cards))) : null
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
    const { name, width } = Object(one) as { name?: unknown; width?: unknown }
    if (typeof name !== 'string' || seen.has(name)) return []
    seen.add(name)
    return [{ name, width: readWidth(width) ?? 4 }]
  })
}

/** Returns a width, or undefined for any other value. */
export function readWidth(value: unknown): CardWidth | undefined {
  return WIDTHS.find((width) => String(width) === String(value))
}
