import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../../admin_site.js'
import { may, mayEach } from '../../permissions/may.js'
import type { Inline } from './inline.js'
import { rowFields, type RowFields } from './row_fields.js'
import { MOST_ROWS, storedRows } from './stored_rows.js'

/** A row that exists, with what the user may do with it. */
export interface StoredRow {
  /** Key as in paths, without the leading slash */
  id: string
  record: LucidRow
  mayUpdate: boolean
  /** How it is removed; null if it may not be */
  removal: 'delete' | 'purge' | null
  /** Names of fields that are read-only on this row [U3] */
  readOnly: ReadonlySet<string>
}

/**
 * The rows of one relation as they are stored, with what the signed-in user may do.
 */
export class InlineRows {
  private constructor(
    readonly inline: Inline,
    readonly fields: RowFields,
    readonly stored: readonly StoredRow[],
    readonly mayCreate: boolean,
    /** True if there are more rows than a form takes */
    readonly isTooLong: boolean,
    /** True if the user may put the rows in order */
    readonly isSortable: boolean
  ) {}

  /**
   * Reads the rows of a parent. None without one, as on create.
   */
  static async read(
    ctx: HttpContext,
    site: AdminSite,
    inline: Inline,
    parent: LucidRow | undefined
  ): Promise<InlineRows> {
    const records = parent ? await storedRows(ctx, inline, parent) : []
    const isTooLong = records.length > MOST_ROWS
    const stored = isTooLong ? [] : await withRights(ctx, inline, records)
    const mayCreate =
      (await may(ctx, inline.view, 'create')) && writes(inline, inline.column.apiName, 'create')
    const { sort } = inline
    const isSortable =
      sort !== undefined &&
      writes(inline, sort.apiName, 'update') &&
      stored.every(({ mayUpdate, readOnly }) => mayUpdate && !readOnly.has(sort.apiName)) &&
      (stored.length > 0 || mayCreate)
    const fields = rowFields(site, inline)
    return new InlineRows(inline, fields, stored, mayCreate, isTooLong, isSortable)
  }

  find(id: string): StoredRow | undefined {
    return this.stored.find((row) => row.id === id)
  }
}

async function withRights(
  ctx: HttpContext,
  { view }: Inline,
  records: readonly LucidRow[]
): Promise<StoredRow[]> {
  const { key } = view.resource
  const keys = records.map((record) => key.of(record))
  const [mayUpdate, mayDelete, mayPurge] = await Promise.all([
    mayEach(ctx, view, 'update', keys),
    mayEach(ctx, view, 'delete', keys),
    mayEach(ctx, view, 'purge', keys),
  ])
  const rows: StoredRow[] = []
  for (const [index, record] of records.entries()) {
    const own = keys[index]
    rows.push({
      id: key.toPath(own).slice(1),
      record,
      mayUpdate: mayUpdate(own),
      removal: mayDelete(own) ? 'delete' : mayPurge(own) ? 'purge' : null,
      readOnly: mayUpdate(own)
        ? await view.crud.readOnlyOn(record, view.callOptions(ctx))
        : new Set<string>(),
    })
  }
  return rows
}

/** True if no role keeps the user from writing the column, on any record. */
export function writes({ view }: Inline, apiName: string, operation: 'create' | 'update'): boolean {
  const { projection } = view.resource
  return !projection || projection.writing(operation, apiName) !== 'none'
}
