import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { chosenColumns, columnChoices } from '../list/columns/column_choices.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList } from '../list/read_list.js'
import { showPanel } from '../list/saved_views/views_bar.js'
import type { ModelView } from '../model_view.js'
import { referencesOf } from '../relations/references.js'
import { isFileFormat, type FILE_FORMATS } from '../sheets/file_shape.js'
import { listPart, withSelected, mayHaveRaw } from './export_choice.js'
import { fieldsOf } from './export_columns.js'
import { ExportedList } from './exported_list.js'

/* In the order in which most people want them */
const OFFERED = ['csv', 'xlsx', 'ndjson', 'json'] as const satisfies (typeof FILE_FORMATS)[number][]

/**
 * The dialog of an export: format, columns, and how many records match; a page of its own without JavaScript. [D2]
 */
export class ExportDialog {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * @param query  that of the list, with what was chosen before
   * @param error  a message, if the export could not be made
   * @throws ExportRefused  for a query of which something filters nothing, unless there is a message
   */
  async show(ctx: HttpContext, query: string, error?: string): Promise<string> {
    const { list, hasAllFields, selected } = listPart(query)
    const given = new URLSearchParams(query)
    const parameters = await readList(ctx, this.site, this.view, list, undefined, true)
    const found = error === undefined ? await this.#count(ctx, list, selected) : null
    const { streamed: most } = this.site.exports
    const isLong = found !== null && (found.count === null || found.count > most)
    const format = given.getAll('format').at(-1)
    const shown = this.#shown(parameters)
    return await showPanel(ctx, this.site, {
      title: this.site.text('export.title', { label: this.view.label }),
      content: 'admin/partials/export_form',
      view: this.view,
      error: error ?? null,
      query: selected ? withSelected(parameters.query, selected) : parameters.query,
      back: parameters.url,
      counted: found && this.#countText(found, selected !== null),
      most,
      isLong,
      formats: OFFERED,
      format: isFileFormat(format) ? format : 'csv',
      mode: hasAllFields ? 'all' : 'shown',
      shown,
      fields: fieldsOf(this.view).length,
      columns: this.#columns(shown),
      hasTitles: referencesOf(this.site, this.view).length > 0,
      offersRaw: await mayHaveRaw(ctx, this.site, this.view),
      isOn: (name: string) => given.get(name) === '1',
    })
  }

  async #count(ctx: HttpContext, query: string, selected: readonly string[] | null) {
    const wanted = { query, selected, titles: false, opensDefault: true }
    const list = await ExportedList.read(ctx, this.site, this.view, wanted)
    return { count: await list.count(), isNarrowed: list.isNarrowed }
  }

  #countText(
    { count, isNarrowed }: { count: number | null; isNarrowed: boolean },
    isSelected: boolean
  ): string {
    if (count === null) return this.site.text('export.countUnknown')
    if (isSelected) {
      const key = isNarrowed ? 'export.countSelectedNarrowed' : 'export.countSelected'
      return this.site.text(key, { count })
    }
    if (count === 0) return this.site.text('export.none')
    return this.site.text(isNarrowed ? 'export.countNarrowed' : 'export.count', { count })
  }

  #shown({ shownColumns }: ListParameters): string[] {
    return chosenColumns(this.view, shownColumns).map((one) =>
      typeof one === 'string' ? one : new one().name
    )
  }

  /** All columns that can be chosen, first those of the list. */
  #columns(shown: readonly string[]) {
    const { all } = columnChoices(this.view)
    return [...new Set([...shown, ...all.keys()])].map((name) => {
      const choice = all.get(name)!
      return {
        name,
        label: typeof choice === 'string' ? this.view.labelOf(name) : new choice().label,
        isShown: shown.includes(name),
      }
    })
  }
}
