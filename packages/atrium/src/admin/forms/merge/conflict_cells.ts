import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { parseJson } from '#base/values/json'
import { attributeValue } from '#base/values/to_api'
import type { Column } from '#base/columns/column'
import type { AdminSite } from '../../admin_site.js'
import { textCell, type ShownCell } from '../../list/cell.js'
import { cellMarkup } from '../../list/cell_markup.js'
import { namesThings } from '../../list/names_things.js'
import { referencesOf } from '../../relations/references.js'
import { visibleText } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../fields/widget.js'
import type { FormPage } from '../form_page.js'
import { shownValues } from '../shown_values.js'
import type { Submission } from '../submission/submission.js'
import type { Conflict } from './merging_save.js'

export type MarkedCell = ShownCell & { markup: string }

/** As it was opened, as it was sent, as it is now; undefined where that is not known */
type ThreeCells = [MarkedCell | undefined, MarkedCell | undefined, MarkedCell | undefined]

/**
 * The values of a record's fields in three versions, for a page.
 */
export class ConflictCells {
  readonly #own: Promise<Record<string, string[]>>

  constructor(
    private readonly ctx: HttpContext,
    private readonly site: AdminSite,
    private readonly form: FormPage,
    private readonly record: LucidRow,
    private readonly submission: Submission,
    private readonly conflict: Pick<Conflict, 'opened' | 'values'>
  ) {
    this.#own = form.own(record)
  }

  /**
   * @param name  API name of a field that the viewer may see
   */
  async of(name: string): Promise<ThreeCells> {
    const field = this.form.fields.find((one) => one.name === name)
    if (field && !field.column) return await this.#ofOwn(field)
    const column = field?.column ?? this.form.view.resource.columns.find(name)!
    const now = this.#api(column, this.record as unknown as Record<string, unknown>)
    const known = [this.#opened(name), this.#sent(column), now]
    const values = known.filter((value) => value !== undefined)
    const shown = await shownValues(this.ctx, this.site, field ?? this.#fact(column), values)
    const cells = known.map((value) => (value === undefined ? undefined : marked(shown.shift()!)))
    const file = this.submission.files.get(name)
    if (file) cells[1] = marked(textCell(visibleText(file.clientName)))
    return cells as ThreeCells
  }

  /** Of a field that is not a column, by the titles of its choices. */
  async #ofOwn(field: FormField): Promise<ThreeCells> {
    const { name, widget } = field
    const choices = widget instanceof Widget ? await widget.choices?.(this.ctx) : undefined
    const labels = new Map(choices?.map(({ value, label }) => [value, label]))
    const cell = (texts: readonly string[] | undefined) =>
      texts && marked(textCell(texts.map((text) => labels.get(text) ?? text).join(', ')))
    const own = await this.#own
    return [
      cell(this.#opened(name) as string[] | undefined),
      cell(this.submission.shown[name]?.filter((text) => !choices || labels.has(text))),
      cell(own[name]),
    ]
  }

  #opened(name: string): unknown {
    const { opened } = this.conflict
    const json = opened && Object.hasOwn(opened.values, name) ? opened.values[name] : undefined
    return json === undefined ? undefined : parseJson(json, String)
  }

  #sent(column: Column): unknown {
    const { values } = this.conflict
    return Object.hasOwn(values, column.attribute) ? this.#api(column, values) : undefined
  }

  #api(column: Column, values: Record<string, unknown>): unknown {
    return attributeValue(column, values) ?? null
  }

  /** A column that the form does not have */
  #fact(column: Column) {
    const { site, form } = this
    const reference = referencesOf(site, form.view).find((one) => one.column === column)
    const isGrouped = !namesThings(form.view, column)
    return { column, reference, widget: 'text' as const, choices: undefined, grouped: isGrouped }
  }
}

function marked(cell: ShownCell): MarkedCell {
  return { ...cell, markup: cellMarkup(cell) }
}
