import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromQuery } from '#base/values/from_query'
import { MOST_RELATED, type PivotValues, type WantedRelated } from '#crud/internals'
import type { PivotTable } from '#base/database/pivot_table'
import { writeJson } from '#base/values/json'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import type { AttachedRecord, ManyToMany } from '../../relations/many_to_many.js'
import { titlesOf } from '../../relations/references.js'
import { collectKeys, keysIn, ManyToManyWidget } from './many_to_many_widget.js'
import {
  collectRows,
  MORE,
  rowsIn,
  textOfRows,
  type SentPivotRow,
  type SentPivotRows,
  isBlankRow,
  pivotRowViews,
} from './pivot_rows.js'
import { pivotTexts, readPivotCell, type PivotColumn } from './pivot_columns.js'

/**
 * The records that are attached to a record, as rows with the pivot columns as cells. Works without JavaScript: there
 * is a blank row, and a button to add another one.
 */
export class PivotRowsWidget extends ManyToManyWidget {
  override readonly template = 'admin/partials/fields/pivot_rows'

  constructor(
    ctx: HttpContext,
    site: Site,
    view: ModelView,
    many: ManyToMany,
    readonly columns: readonly PivotColumn[],
    private readonly table: PivotTable
  ) {
    super(ctx, site, view, many)
  }

  override collect(name: string, sent: ReadonlyMap<string, readonly string[]>) {
    const rows = collectRows(name, sent)
    return rows ? [textOfRows(rows)] : collectKeys(name, sent)
  }

  rerenders(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean {
    return sent.has(name + MORE)
  }

  /** Also returns false if the same record is attached twice, as its rows can't be distinguished. */
  override async takes(record: LucidRow): Promise<boolean> {
    const { hasDuplicates } = await this.attachedTo(record)
    return !hasDuplicates && (await super.takes(record))
  }

  /**
   * Parses the rows. Records whose rows were not submitted stay attached.
   *
   * @throws Error  with the first error
   */
  override read(texts: string[]): WantedRelated {
    const sent = rowsIn(texts)
    if (!sent) return super.read(texts)
    const { label, reference } = this.many
    const rows = sent.rows.filter((row) => !isBlankRow(this.columns, row))
    if (rows.length > MOST_RELATED) {
      const data = { label, count: rows.length, most: MOST_RELATED }
      throw new Error(this.site.text('manyToMany.tooMany', data))
    }
    const keys: unknown[] = []
    const shown: unknown[] = []
    const values = new Map<string, PivotValues>()
    for (const row of rows) {
      if (row.remove && !row.was) continue
      const key = fromQuery(reference.target, row.id)
      if (key === null) throw new Error(this.#noKey(row.id))
      if (row.was) shown.push(key)
      if (row.remove) continue
      if (values.has(String(key)))
        throw new Error(this.site.text('manyToMany.twice', { label, key }))
      keys.push(key)
      values.set(String(key), this.#valuesOf(row))
    }
    return { keys, shown, values }
  }

  override async stored(record: LucidRow): Promise<string[]> {
    const { records } = await this.attachedTo(record)
    const rows = records.map((one) => ({ ...this.#rowOf(one), was: this.#valuesIn(one) }))
    return [textOfRows({ rows, isTyped: false })]
  }

  override async copied(record: LucidRow): Promise<string[]> {
    const { records } = await this.attachedTo(record)
    return [textOfRows({ rows: records.map((one) => this.#rowOf(one)), isTyped: false })]
  }

  override async data(ctx: HttpContext, name: string, texts: string[]): Promise<any> {
    const sent: SentPivotRows = rowsIn(texts) ?? {
      rows: keysIn(texts).chosen.map((id): SentPivotRow => ({ id, cells: {} })),
      isTyped: false,
    }
    const ids = sent.rows.flatMap(({ id }) => (id === '' ? [] : [id]))
    const titles = await titlesOf(ctx, this.many.reference, this.#readable(ids))
    return await pivotRowViews(ctx, this.site, this.view, this.many, {
      name,
      columns: this.columns,
      rows: sent.rows,
      isTyped: sent.isTyped,
      wantsMore: sent.wantsMore === true,
      titles,
    })
  }

  #readable(ids: readonly string[]): unknown[] {
    const { target } = this.many.reference
    return ids.map((id) => fromQuery(target, id)).filter((key) => key !== null)
  }

  /** Returns the values of a row; for an existing row only the changed ones. */
  #valuesOf({ cells, was }: SentPivotRow): PivotValues {
    const values: Record<string, unknown> = {}
    const begun: Record<string, unknown> = {}
    for (const column of this.columns) {
      const texts = cells[column.name]
      if (!texts) continue
      const read = readPivotCell(this.site, column, texts)
      if (read.error !== undefined) throw new Error(read.error)
      if (read.value === undefined) continue
      const before = was?.[column.name] ?? null
      const isSame = writeJson(this.table.toApi(column.name, read.value)) === writeJson(before)
      if (was && isSame) continue
      values[column.name] = read.value
      begun[column.name] = before
    }
    return was ? { values, begun } : { values }
  }

  #rowOf(record: AttachedRecord): SentPivotRow {
    const values = this.#valuesIn(record)
    const cells = this.columns.map((column) => [
      column.name,
      pivotTexts(column, values[column.name]),
    ])
    return { id: record.value, cells: Object.fromEntries(cells) }
  }

  #valuesIn({ row }: AttachedRecord): Record<string, unknown> {
    const values = this.columns.map(({ name }) => [name, this.table.toApi(name, row[name])])
    return Object.fromEntries(values)
  }

  #noKey(key: string): string {
    const { label } = this.many
    return key === ''
      ? this.site.text('manyToMany.choose', { label })
      : this.site.text('manyToMany.noKey', { label, key: key.slice(0, 80) })
  }
}
