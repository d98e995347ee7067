import type { HttpContext } from '@adonisjs/core/http'
import { readingClientOf } from '../config/database_config.js'
import { EventType } from '../events/event_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { flashToNextPage } from '../http/flash.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { redirect } from '../http/redirect.js'
import { rowId } from '../views/record_items.js'
import { movedIn, moveIn } from '../list/columns/columns_controller.js'
import AdminRole from '../models/admin_role.js'
import type { AdminCard } from '../views/admin_card.js'
import {
  arrangedCards,
  availableCards,
  defaultOfRole,
  readWidth,
  shownOf,
  storeDefault,
  storeOwn,
  WIDTHS,
  type PlacedCard,
} from './arrangement.js'
import { visibleCards, type CardSite } from './cards/card_list.js'

/** The form's current state: all available cards in order, and which of them are shown. */
interface Arranged {
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
    const { available } = await this.#available(ctx, role)
    const current = role
      ? shownOf((await defaultOfRole(this.site, role.id)) ?? available, available)
      : await arrangedCards(ctx, this.site, available)
    return await this.#form(ctx, role, {
      order: completed(current, available),
      shown: new Set(current.map(({ name }) => name)),
    })
  }

  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const role = await this.#role(ctx, singleText(texts, 'role') || undefined)
    if (texts.has('reset')) return await this.#store(ctx, role, null)

    const { available } = await this.#available(ctx, role)
    const sent = (texts.get('order') ?? []).flatMap((name) => {
      const known = available.find((one) => one.name === name)
      const width = readWidth(singleText(texts, `width.${name}`))
      return known ? [{ name, width: width ?? known.width }] : []
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
      return await this.#form(ctx, role, { order: all, shown, moved })
    }
    return await this.#store(
      ctx,
      role,
      order.filter(({ name }) => shown.has(name))
    )
  }

  async #store(ctx: HttpContext, role: AdminRole | null, cards: readonly PlacedCard[] | null) {
    const { owner } = guardOf(ctx).signedInOrFail()
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
    await flashToNextPage(ctx, { kind: 'success', text })
    redirect(ctx, this.site.url(role ? `/dashboard/arrange?role=${role.id}` : '/'))
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
  async #available(ctx: HttpContext, role: AdminRole | null) {
    const cards = await visibleCards(ctx, this.site)
    const all = availableCards(ctx, this.site, cards)
    const available = role ? all.filter(({ name }) => name !== 'site.management') : all
    return { cards, available }
  }

  async #form(ctx: HttpContext, role: AdminRole | null, { order, shown, moved }: Arranged) {
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
        label: this.#labelOf(name),
        width,
        isShown: shown.has(name),
        isFirst: at === 0,
        isLast: at === order.length - 1,
        isMoved: name === moved,
      })),
    })
  }

  #labelOf(name: string): string {
    const card: AdminCard | undefined = this.site.cards.get(name)
    return card?.label ?? this.site.text(`dashboard.arrange.cards.${name.split('.')[1]}`)
  }
}

/** Returns the arranged cards in order, followed by the available cards that are not among them. */
function completed(
  some: readonly PlacedCard[],
  available: readonly PlacedCard[]
): readonly PlacedCard[] {
  const names = new Set(some.map(({ name }) => name))
  return [...some, ...available.filter(({ name }) => !names.has(name))]
}
