import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import { filesIn } from '../files/file_owners.js'
import { seenInlines } from '../inlines/inline.js'
import { InlineRows } from '../inlines/inline_rows.js'
import type { SentRow, SentRows } from '../inlines/rows.js'
import { storedTexts } from '../submission/unchanged_fields.js'

/**
 * Returns the texts of a record for a create form that copies it. Unique and automatic values, files and hidden fields
 * are left out.
 *
 * @param fields  fields of the create form
 * @param parent  for an inline row, the column that refers to the parent. Unique indexes with this column are ignored,
 *   as the copy belongs to another parent.
 */
export function copiedTexts(
  view: ModelView,
  fields: readonly FormField[],
  record: LucidRow,
  parent?: Column
): Record<string, string[]> {
  const unique = uniqueNames(view, fields, parent)
  const copied = fields.filter(
    ({ column, hidden, valueType }) =>
      column && !hidden && valueType !== 'file' && !column.automatic && !unique.has(column.name)
  )
  return storedTexts(copied, record)
}

/** Returns true if a record has files in fields of the form, which a copy does not have. */
export function hasFiles(fields: readonly FormField[], record: LucidRow): boolean {
  const attributes = record as unknown as Record<string, unknown>
  return fields.some(
    ({ column, hidden, valueType }) =>
      column &&
      !hidden &&
      valueType === 'file' &&
      filesIn(column, attributes[column.attribute]).length > 0
  )
}

/**
 * Returns the columns that are not copied because their values must be unique: the key, and those of unique indexes.
 * References in an index over several columns are copied, as the copy usually belongs to the same records, unless the
 * index has only references.
 */
function uniqueNames(
  { resource }: ModelView,
  fields: readonly FormField[],
  parent: Column | undefined
): Set<string> {
  const references = new Set(
    fields.filter(({ reference }) => reference).map(({ column }) => column?.name)
  )
  const keys = resource.uniqueKeys.filter((names) => !parent || !names.includes(parent.name))
  const left = keys.flatMap((names) => {
    const others = names.filter((name) => !references.has(name))
    return names.length === 1 || others.length === 0 ? names : others
  })
  return new Set([...left, ...resource.key.columns.map(({ name }) => name)])
}

/**
 * Returns the inline rows of a record as new rows.
 *
 * @param view  the view, limited by the user's roles
 * @returns the rows by relation, the labels of the inlines whose rows are left out, because there are too many for a
 *          form or the user is not allowed to add any, and whether copied rows lack files
 */
export async function copiedRows(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow
): Promise<{ rows: Map<string, SentRows>; left: string[]; isWithoutFiles: boolean }> {
  const rows = new Map<string, SentRows>()
  const left: string[] = []
  let isWithoutFiles = false
  for (const inline of await seenInlines(ctx, site, view)) {
    const { stored, fields, isTooLong, mayCreate } = await InlineRows.read(
      ctx,
      site,
      inline,
      record
    )
    if (isTooLong || (stored.length > 0 && !mayCreate)) {
      left.push(inline.label)
      continue
    }
    if (stored.length === 0) continue
    isWithoutFiles ||= stored.some((row) => hasFiles(fields.create, row.record))
    const copies = stored.map((row, index): SentRow => {
      const texts = copiedTexts(inline.view, fields.create, row.record, inline.column)
      return {
        index,
        id: null,
        version: undefined,
        isRemoved: false,
        texts: new Map([...Object.entries(texts), ...sortText(index)]),
        errors: [],
      }
    })
    rows.set(inline.name, { rows: copies, wantsMore: false })

    function sortText(index: number): Array<[string, string[]]> {
      return inline.sort ? [[inline.sort.apiName, [String(index + 1)]]] : []
    }
  }
  return { rows, left, isWithoutFiles }
}
