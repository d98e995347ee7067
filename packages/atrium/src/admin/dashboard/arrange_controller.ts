import type { HttpContext } from '@adonisjs/core/http'
import { readingClientOf } from '../config/database_config.js'
import { EventType } from '../events/event_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { redirectWithMessage } from '../http/redirect.js'
import { rowId } from '../views/record_items.js'
import { movedIn, moveIn } from '../list/columns/columns_controller.js'
import AdminRole from '../models/admin_role.js'
import type { AdminCard } from '../views/admin_card.js'
import {
  arrangedCards,
  availableCards,
  readDashboard,
  readWidth,
  storeDefault,
  storeOwn,
  WIDTHS,
  type PlacedCard,
  type StoredDashboard,
} from './arrangement.js'
import { visibleCards, type CardSite, MOST_ADDED } from './cards/card_list.js'

/** The cards to choose from, and what is stored of the dashboard */
interface Choices {
  available: readonly PlacedCard[]
  cards: ReadonlyMap<string, AdminCard>
  stored: StoredDashboard
}

/** The form's current state: all available cards in order, and which of them are shown. */
interface Arranged extends Choices {
  order: readonly PlacedCard[]
  shown: ReadonlySet<string>
  /** Name of the card that was just moved */
  moved?: string
}

/**
 * The page to arrange the user's dashboard, or, for superusers, the default of a role. Without JavaScript, the
 * buttons *up* and *down* render the form again without saving.
 */
export class ArrangeController {
  constructor(private readonly site: CardSite) {}

  async show(ctx: HttpContext): Promise<string> {
    const role = await this.#role(ctx, ctx.request.qs().role)
    const choices = await this.#choices(ctx, role)
    const { available, stored } = choices
    const all = arrangedCards(stored, available)
    /* A role without a default begins without the cards that the superuser has added. */
    const mine = new Set<string>(stored.mine.map(({ name }) => name))
    const current = role && !stored.chosen ? all.filter(({ name }) => !mine.has(name)) : all
    return await this.#form(ctx, role, {
      ...choices,
      order: completed(current, available),
      shown: new Set(current.map(({ name }) => name)),
    })
  }

  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const role = await this.#role(ctx, singleText(texts, 'role') || undefined)
    if (texts.has('reset')) return await this.#store(ctx, role, null)

    const choices = await this.#choices(ctx, role)
    const { available } = choices
    const sent = (texts.get('order') ?? []).flatMap((name) => {
      const known = available.find((one) => one.name === name)
      const width = readWidth(singleText(texts, `width.${name}`))
      return known ? [{ ...known, width: width ?? known.width }] : []
    })
    const order = completed(sent, available)
    const shown = new Set(texts.get('cards') ?? [])
    const [direction, moved] = moveIn(texts)
    if (moved !== undefined) {
      const names = movedIn(
        order.map(({ name }) => name),
        moved,
        direction
      )
      const all = names.map((name) => order.find((one) => one.name === name)!)
      return await this.#form(ctx, role, { ...choices, order: all, shown, moved })
    }
    const chosen = order.filter(({ name }) => shown.has(name))
    return await this.#store(ctx, role, role ? withDefinitions(chosen, choices.stored) : chosen)
  }

  async #store(ctx: HttpContext, role: AdminRole | null, cards: readonly PlacedCard[] | null) {
    const { owner } = guardOf(ctx).signedInOrFail()
    const url = this.site.url(role ? `/dashboard/arrange?role=${role.id}` : '/')
    if (role && (cards ?? []).filter(({ card }) => card).length > MOST_ADDED) {
      const text = this.site.text('dashboard.card.errors.tooManyOfRole', { most: MOST_ADDED })
      return await redirectWithMessage(ctx, url, { kind: 'error', text })
    }
    if (role) {
      await storeDefault(this.site, role.id, cards)
      this.site.logEvent(ctx, {
        type: EventType.UPDATE,
        resourceType: AdminRole.name,
        resourceId: String(role.id),
        details: { page: 'dashboard' },
      })
    } else await storeOwn(this.site, owner.id, cards)
    const text = role
      ? this.site.text('dashboard.arrange.savedForRole', { role: role.name })
      : this.site.text(cards ? 'dashboard.arrange.saved' : 'dashboard.arrange.restored')
    await redirectWithMessage(ctx, url, { kind: 'success', text })
  }

  /**
   * Returns the role whose default is arranged; null for the dashboard of the user.
   *
   * @throws NotAllowed    for users who are not superusers
   * @throws PageNotFound  for an unknown role
   */
  async #role(ctx: HttpContext, id: unknown): Promise<AdminRole | null> {
    if (id === undefined) return null
    if (!isSuperuser(ctx)) throw new NotAllowed()
    const key = typeof id === 'string' ? rowId(id) : null
    const role = key === null ? null : await AdminRole.find(key)
    if (!role) throw new PageNotFound()
    return role
  }

  /**
   * Returns the cards to choose from. For a role's default, these are all cards that a superuser can see, except the
   * card that only superusers can see.
   */
  async #choices(ctx: HttpContext, role: AdminRole | null): Promise<Choices> {
    const stored = await readDashboard(ctx, this.site, role?.id)
    const cards = await visibleCards(ctx, this.site, stored)
    const all = availableCards(ctx, this.site, cards)
    const available = role ? all.filter(({ name }) => name !== 'site.management') : all
    return { available, cards, stored }
  }

  async #form(ctx: HttpContext, role: AdminRole | null, arranged: Arranged) {
    const { cards, moved, order, shown, stored } = arranged
    const mine = new Set<string>(stored.mine.map(({ name }) => name))
    const client = readingClientOf(AdminRole)
    const roles = isSuperuser(ctx) ? await AdminRole.query({ client }).orderBy('name') : []
    return await this.site.render(ctx, 'pages/dashboard_arrange', {
      role: role && { id: role.id, name: role.name },
      roles: roles.map(({ id, name }) => ({ id, name, isCurrent: id === role?.id })),
      widths: WIDTHS,
      back: this.site.url('/'),
      action: this.site.url('/dashboard/arrange'),
      cards: order.map(({ name, width }, at) => ({
        name,
        label: cards.get(name)?.label ?? this.#labelOf(name),
        edit: mine.has(name) ? this.site.url(`/dashboard/cards/${name}/edit`) : null,
        width,
        isShown: shown.has(name),
        isFirst: at === 0,
        isLast: at === order.length - 1,
        isMoved: name === moved,
      })),
    })
  }

  #labelOf(name: string): string {
    return this.site.text(`dashboard.arrange.cards.${name.split('.')[1]}`)
  }
}

/** Adds the definitions of added cards, which the users of a role do not have themselves. */
function withDefinitions(
  chosen: readonly PlacedCard[],
  { mine, ofRoles }: StoredDashboard
): PlacedCard[] {
  const known = new Map([...ofRoles, ...mine].map((card) => [card.name as string, card]))
  return chosen.map((placed) => ({ ...placed, card: known.get(placed.name) }))
}

/** Returns the arranged cards in order, followed by the available cards that are not among them. */
function completed(
  some: readonly PlacedCard[],
  available: readonly PlacedCard[]
): readonly PlacedCard[] {
  const names = new Set(some.map(({ name }) => name))
  return [...some, ...available.filter(({ name }) => !names.has(name))]
}
