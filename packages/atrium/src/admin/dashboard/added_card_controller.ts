import type { HttpContext } from '@adonisjs/core/http'
import { WithheldPage } from '../http/errors.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { redirectWithMessage } from '../http/redirect.js'
import { guardOf } from '../identity/admin_guard.js'
import { chosenNames } from '../list/columns/column_choices.js'
import type { ListParameters } from '../list/list_parameters.js'
import { facetColumns } from '../list/filters/filter_bar.js'
import { readList } from '../list/read_list.js'
import { LONGEST_VIEW_NAME, viewNameError } from '../list/saved_views/saved_views.js'
import { showPanel } from '../list/saved_views/views_bar.js'
import { canAggregate } from '../list/summaries/list_summary.js'
import { sharedColumns, summaryChoices } from '../list/summaries/summaries.js'
import { referencesOf } from '../relations/references.js'
import { inSentence } from '../text/plain_text.js'
import type { CardSelect } from '../views/admin_card.js'
import type { ModelView } from '../views/model_view.js'
import { addCard, readDashboard, storeAdded } from './arrangement.js'
import {
  CARD_KINDS,
  cardOf,
  LONGEST_QUERY,
  MOST_ADDED,
  newCardName,
  type AddedCard,
  viewOfCard,
  type CardSite,
} from './cards/card_list.js'

/** What a card shows of a list */
type Shown = Pick<AddedCard, 'label' | 'kind' | 'select' | 'groupBy'>

interface Choice<Value extends string = string> {
  value: Value
  label: string
}

/** What the cards of a list can show to the user */
interface Choices {
  kinds: ReadonlyArray<AddedCard['kind']>
  figures: ReadonlyArray<Choice<CardSelect>>
  /** The figures that a chart can show */
  sums: ReadonlyArray<Choice<CardSelect>>
  groups: readonly Choice[]
}

interface CardForm {
  title: string
  action: string
  back: string
  /** Query of the list; null for an existing card */
  query: string | null
  remove: string | null
  /** Null if the user can no longer view the list, so that the card can only be renamed or removed */
  choices: Choices | null
  shown: Shown
  error?: string
}

/** Adds a list to the dashboard of the user: as a number, a chart, or its first rows. */
export class NewCardController {
  constructor(
    private readonly site: CardSite,
    private readonly view: ModelView
  ) {}

  async create(ctx: HttpContext): Promise<string> {
    const parameters = await readList(ctx, this.site, this.view, ctx.request.parsedUrl.query ?? '')
    const { groupBy, isUnread, settings, shownSummaries } = parameters
    const [summary] = shownSummaries
    const [facet] = facetColumns(this.site, this.view)
    const shown: Shown = {
      label: settings.open?.name ?? this.view.label,
      kind: groupBy ? 'chart' : 'number',
      select: summary ? `${summary.of}:${summary.column.apiName}` : 'count',
      groupBy: (groupBy?.column ?? facet)?.apiName ?? '',
    }
    return await this.#form(ctx, parameters, shown, isUnread ? 'unread' : undefined)
  }

  async store(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const list = singleText(texts, 'query') ?? ''
    const parameters = await readList(ctx, this.site, this.view, list)
    const shown = sentCard(texts, choicesOf(this.site, this.view))
    const query = queryOf(parameters)
    const { mine } = await readDashboard(ctx, this.site)
    const error =
      (parameters.isUnread && 'unread') ||
      (query.length > LONGEST_QUERY && 'queryTooLong') ||
      (mine.length >= MOST_ADDED && 'tooMany') ||
      errorOf(shown)
    if (error) return await this.#form(ctx, parameters, shown, error)

    const card = { ...shown, name: newCardName(), model: this.view.name, query } as AddedCard
    await addCard(ctx, this.site, card)
    /* All cards in one page, so that the new one stays in view. */
    await redirectWithMessage(ctx, `${this.site.url('/')}?whole=1#card-${card.name}`, {
      kind: 'success',
      text: this.site.text('dashboard.card.added'),
    })
  }

  async #form(ctx: HttpContext, parameters: ListParameters, shown: Partial<Shown>, error?: string) {
    return await showForm(ctx, this.site, {
      title: this.site.text('dashboard.card.new'),
      action: this.view.url('/cards'),
      back: parameters.url,
      query: parameters.query,
      remove: null,
      choices: choicesOf(this.site, this.view),
      shown: { label: '', kind: 'number', select: 'count', groupBy: '', ...shown },
      error,
    })
  }
}

/** Changes and removes the cards that the user has added. */
export class AddedCardController {
  constructor(private readonly site: CardSite) {}

  async edit(ctx: HttpContext): Promise<string> {
    const { card } = await this.#find(ctx)
    return await this.#form(ctx, card, card)
  }

  async update(ctx: HttpContext): Promise<unknown> {
    const { card, mine } = await this.#find(ctx)
    const choices = await this.#choices(ctx, card)
    const sent = sentCard(sentTexts(ctx), choices)
    const shown = choices ? sent : { ...card, label: sent.label }
    const error = errorOf(shown)
    if (error) return await this.#form(ctx, card, { ...card, ...shown }, error)
    const changed = { ...card, ...shown } as AddedCard
    return await this.#store(
      ctx,
      mine.map((one) => (one === card ? changed : one)),
      'changed'
    )
  }

  /** Renders the confirmation page of `remove`. */
  async askToRemove(ctx: HttpContext): Promise<string> {
    const { card } = await this.#find(ctx)
    return await this.site.render(ctx, 'pages/confirm', {
      heading: this.site.text('dashboard.card.ask', { label: card.label }),
      note: this.site.text('dashboard.card.askNote'),
      action: this.#url(card, 'remove'),
      label: this.site.text('dashboard.card.remove'),
      isDestructive: true,
      back: this.#url(card, 'edit'),
    })
  }

  async remove(ctx: HttpContext): Promise<unknown> {
    const { card, mine } = await this.#find(ctx)
    return await this.#store(
      ctx,
      mine.filter((one) => one !== card),
      'removed'
    )
  }

  /** @throws WithheldPage  if the user has no such card */
  async #find(ctx: HttpContext) {
    const { mine } = await readDashboard(ctx, this.site)
    const card = mine.find(({ name }) => name === ctx.params.name)
    if (!card) throw new WithheldPage()
    return { card, mine }
  }

  async #store(ctx: HttpContext, cards: readonly AddedCard[], done: 'changed' | 'removed') {
    await storeAdded(this.site, guardOf(ctx).signedInOrFail().owner.id, cards)
    await redirectWithMessage(ctx, this.site.url('/'), {
      kind: 'success',
      text: this.site.text(`dashboard.card.${done}`),
    })
  }

  async #choices(ctx: HttpContext, card: AddedCard): Promise<Choices | null> {
    const view = await viewOfCard(ctx, this.site, cardOf(card))
    return view && choicesOf(this.site, view)
  }

  async #form(ctx: HttpContext, card: AddedCard, shown: Shown, error?: string) {
    return await showForm(ctx, this.site, {
      title: this.site.text('dashboard.card.edit', { label: card.label }),
      action: this.#url(card, 'edit'),
      back: this.site.url('/'),
      query: null,
      remove: this.#url(card, 'remove'),
      choices: await this.#choices(ctx, card),
      shown,
      error,
    })
  }

  #url({ name }: AddedCard, action: 'edit' | 'remove'): string {
    return this.site.url(`/dashboard/cards/${name}/${action}`)
  }
}

/** Returns the query of a list with the user's columns, as they can be different when the card is shown. */
function queryOf(parameters: ListParameters): string {
  const columns = chosenNames(parameters.view, parameters.shownColumns)
  return parameters.with({ page: 1, groupBy: null, columns }).wholeQuery
}

function choicesOf(site: CardSite, view: ModelView): Choices {
  if (!canAggregate(view)) return { kinds: ['rows'], figures: [], sums: [], groups: [] }
  const references = referencesOf(site, view).map(({ column }) => column.apiName)
  const figures = summaryChoices(view, references).flatMap(({ column, functions }) =>
    functions.map((of): Choice<CardSelect> => {
      const label = view.labelOf(column.apiName)
      const figure = inSentence(site.text(`list.summaries.${of}`))
      return {
        value: `${of}:${column.apiName}`,
        label: site.text('list.groups.figure', { label, of: figure }),
      }
    })
  )
  const count = { value: 'count' as const, label: site.text('dashboard.card.count') }
  const groups = sharedColumns(view).map(({ apiName }) => ({
    value: apiName,
    label: view.labelOf(apiName),
  }))
  return {
    kinds: groups.length > 0 ? CARD_KINDS : CARD_KINDS.filter((kind) => kind !== 'chart'),
    figures: [count, ...figures],
    sums: [count, ...figures.filter(({ value }) => value.startsWith('sum:'))],
    groups,
  }
}

/** Returns what a form has sent; what is not among the choices is missing. */
function sentCard(texts: Map<string, string[]>, choices: Choices | null): Partial<Shown> {
  const chosen = <Value extends string>(some: ReadonlyArray<Choice<Value>>, name: string) =>
    some.find(({ value }) => value === singleText(texts, name))?.value
  const label = singleText(texts, 'label') ?? ''
  const { figures = [], groups = [], kinds = [], sums = [] } = choices ?? {}
  const kind = kinds.find((one) => one === singleText(texts, 'kind'))
  if (kind === 'number') return { label, kind, select: chosen(figures, 'figure'), groupBy: '' }
  if (kind === 'rows') return { label, kind, select: 'count', groupBy: '' }
  return { label, kind, select: chosen(sums, 'sum'), groupBy: chosen(groups, 'group_by') }
}

/** Returns the error of a form as the last part of a catalogue key; undefined for a complete card. */
function errorOf({ groupBy, kind, label = '', select }: Partial<Shown>): string | undefined {
  const isComplete = kind !== undefined && select !== undefined && groupBy !== undefined
  return viewNameError(label) ?? (isComplete ? undefined : 'incomplete')
}

async function showForm(ctx: HttpContext, site: CardSite, form: CardForm): Promise<string> {
  if (form.error && ctx.request.method() === 'POST') ctx.response.status(422)
  return await showPanel(ctx, site, {
    ...form,
    content: 'admin/partials/card_form',
    most: LONGEST_VIEW_NAME,
    error: form.error && {
      isOfName: /^(?:unnamed|name)/.test(form.error),
      text: site.text(`dashboard.card.errors.${form.error}`, {
        most: form.error === 'tooMany' ? MOST_ADDED : LONGEST_VIEW_NAME,
      }),
    },
  })
}
