import type { HttpContext } from '@adonisjs/core/http'
import { EventType } from '../../events/event_integration.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import type { ModelView } from '../../views/model_view.js'
import { ListParameters } from '../list_parameters.js'
import { readList, type ListSite } from '../read_list.js'
import { DENSITIES, densityIn, preferenceNames } from '../saved_views/list_settings.js'
import { showPanel } from '../saved_views/views_bar.js'
import { referencesOf } from '../../relations/references.js'
import { guardOf } from '../../identity/admin_guard.js'
import { chosenNames, columnChoices, labelOf } from './column_choices.js'
import { redirect } from '../../http/redirect.js'
import { canAggregate } from '../summaries/list_summary.js'
import {
  groupChoices,
  readFigures,
  readSummaries,
  summariesWritten,
  summaryChoices,
  unitOfGroups,
  usualSummaries,
  wordOf,
} from '../summaries/summaries.js'

interface Shown {
  /** Names of all columns in the order of the form */
  order: readonly string[]
  /** Names of the selected columns */
  ticked: ReadonlySet<string>
  density: unknown
  error?: string
  /** Name of the column that was just moved */
  moved?: string
}

/**
 * The form to choose the columns of a list, their order, and the row density. Without JavaScript, the buttons *up*
 * and *down* render the form again without saving.
 */
export class ColumnsController {
  constructor(
    private readonly site: ListSite,
    private readonly view: ModelView
  ) {}

  async show(ctx: HttpContext): Promise<string> {
    const parameters = await readList(ctx, this.site, this.view, ctx.request.parsedUrl.query ?? '')
    const { all } = columnChoices(this.view)
    const shown = chosenNames(this.view, parameters.shownColumns)
    const order = [...new Set([...shown, ...all.keys()])]
    const { density } = parameters.settings
    return await this.#form(ctx, parameters, { order, ticked: new Set(shown), density })
  }

  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const query = singleText(texts, 'query') ?? ''
    const parameters = this.#arranged(await readList(ctx, this.site, this.view, query), texts)
    if (texts.has('reset')) return await this.#keep(ctx, parameters, null, null)

    const { all } = columnChoices(this.view)
    const sent = [...(texts.get('order') ?? []), ...all.keys()]
    const order = [...new Set(sent)].filter((name) => all.has(name))
    const ticked = new Set(texts.get('columns') ?? [])
    const density = densityIn(singleText(texts, 'density') ?? parameters.settings.density)
    const [direction, moved] = moveIn(texts)
    if (moved !== undefined) {
      return await this.#form(ctx, parameters, {
        order: movedIn(order, moved, direction),
        ticked,
        density,
        moved,
      })
    }
    const columns = order.filter((name) => ticked.has(name))
    if (columns.length > 0) return await this.#keep(ctx, parameters, columns, density)
    ctx.response.status(422)
    const error = this.site.text('list.columns.none')
    return await this.#form(ctx, parameters, { order, ticked, density, error })
  }

  /**
   * Saves the choice as the user's preference. If the current saved view has columns, the choice is put into the URL
   * instead, so that the view can be updated and the user's other lists are not affected.
   */
  async #keep(
    ctx: HttpContext,
    parameters: ListParameters,
    columns: readonly string[] | null,
    density: string | null
  ) {
    const names = preferenceNames(this.view.name)
    const ofView = this.#columnsOfView(parameters)
    const { owner } = guardOf(ctx).signedInOrFail()
    await this.site.preferences.write(owner.id, {
      [names.density]: density === parameters.settings.usualDensity ? null : density,
      ...(!ofView && { [names.columns]: columns }),
    })
    this.site.logEvent(ctx, {
      type: EventType.VIEW,
      resourceType: this.view.name,
      details: { page: 'columns' },
    })
    const chosen = ofView ? (columns ?? ofView) : null
    redirect(ctx, parameters.with({ page: 1, columns: chosen }).url)
  }

  /** Returns the list with the summaries and the group that were chosen in the form. */
  #arranged(parameters: ListParameters, texts: Map<string, string[]>): ListParameters {
    if (texts.has('reset')) return parameters.with({ summaries: null, groupBy: null })
    if (!texts.has('summaries')) return parameters
    const chosen = readSummaries(this.view, (texts.get('summary') ?? []).join())
    const usual = summariesWritten(usualSummaries(this.view))
    return parameters.with({
      summaries: summariesWritten(chosen) === usual ? null : chosen,
      groupBy: readFigures(this.view, { groupBy: singleText(texts, 'group_by') }).groupBy,
    })
  }

  /** Returns the choices of summaries and of a column to group by. */
  #figures({ groupBy, shownSummaries }: ListParameters) {
    if (!canAggregate(this.view)) return { summaries: [], groups: [] }
    const chosen = new Set(shownSummaries.map(wordOf))
    const references = referencesOf(this.site, this.view).map(({ column }) => column.apiName)
    return {
      summaries: summaryChoices(this.view, references).map(({ column, functions }) => ({
        label: this.view.labelOf(column.apiName),
        functions: functions.map((of) => {
          const word = wordOf({ column, of })
          return { word, label: this.site.text(`list.summaries.${of}`), isChosen: chosen.has(word) }
        }),
      })),
      groups: groupChoices(this.view).map((key) => ({
        name: key.name,
        label: this.site.text(`list.groups.by.${unitOfGroups(key) ?? 'value'}`, {
          label: this.view.labelOf(key.column.apiName),
        }),
        isChosen: groupBy?.name === key.name,
      })),
    }
  }

  async #form(ctx: HttpContext, parameters: ListParameters, shown: Shown): Promise<string> {
    const columns = shown.order.map((name, index) => ({
      name,
      label: labelOf(this.view, name),
      isShown: shown.ticked.has(name),
      isFirst: index === 0,
      isLast: index === shown.order.length - 1,
      isMoved: name === shown.moved,
    }))
    return await showPanel(ctx, this.site, {
      title: this.site.text('list.columns.title', { label: this.view.label }),
      content: 'admin/partials/columns_form',
      view: this.view,
      columns,
      ...this.#figures(parameters),
      densities: DENSITIES,
      density: shown.density,
      error: shown.error ?? null,
      query: parameters.query,
      back: parameters.url,
      isOfView: this.#columnsOfView(parameters) !== null,
    })
  }

  /** Returns the columns of the current saved view; null if it has none. */
  #columnsOfView({ settings: { open } }: ListParameters): readonly string[] | null {
    return open && ListParameters.read(this.view, open.query).columns
  }
}

type Direction = 'up' | 'down'

/** Returns direction and column name of the pressed button, if it moves a column. */
export function moveIn(
  texts: Map<string, string[]>
): [direction: Direction, name: string | undefined] {
  const up = texts.get('up')?.[0]
  return up === undefined ? ['down', texts.get('down')?.[0]] : ['up', up]
}

/** Returns the names with one of them moved by one position. */
export function movedIn(order: readonly string[], name: string, direction: Direction): string[] {
  const from = order.indexOf(name)
  const to = direction === 'up' ? from - 1 : from + 1
  if (from < 0 || to < 0 || to >= order.length) return [...order]
  return order.with(from, order[to]).with(to, name)
}
