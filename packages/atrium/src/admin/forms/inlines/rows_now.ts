import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import type { AdminSite } from '../../admin_site.js'
import type { ShownCell } from '../../list/cell.js'
import type { FormField } from '../fields/form_field.js'
import { shownValues } from '../shown_values.js'

type ShownField = Parameters<typeof shownValues>[2]

/**
 * The values of a column in several rows, as lists show them. One query for the titles of a reference.
 */
export async function cellsInRows(
  ctx: HttpContext,
  site: AdminSite,
  field: ShownField,
  records: readonly LucidRow[]
): Promise<ShownCell[]> {
  const column = field.column!
  const values = records.map((record) => attributeValue(column, record))
  return await shownValues(ctx, site, field, values)
}

/**
 * The current values of some fields of a row in words: `Quantity: 5, Price: 7`. Hidden ones are left out.
 *
 * @param names  API names
 */
export async function nowIn(
  ctx: HttpContext,
  site: AdminSite,
  fields: readonly FormField[],
  record: LucidRow,
  names: readonly string[]
): Promise<string> {
  const shown: string[] = []
  for (const field of fields) {
    if (!names.includes(field.name) || field.hidden || !field.column) continue
    const [{ text }] = await cellsInRows(ctx, site, field, [record])
    shown.push(`${field.label}: ${text}`)
  }
  return shown.join(', ')
}
