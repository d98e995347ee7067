import type { FieldOrder } from '../models/admin_import.js'
import { type DateOrder, OrderFinder } from '../sheets/date_order.js'
import type { FileShape } from '../sheets/file_shape.js'
import type { ImportSpec, MappedColumn } from './import_spec.js'
import { ROWS_AT_ONCE, rowBatches } from './row_batches.js'

/**
 * Finds for each column of dates in which order they are written, from all of its values. Reads the file once, and not
 * at all if an order was chosen or there are no such columns. [D3]
 *
 * @param told  called after each part; its error ends the search
 * @returns the columns with dates whose order counts
 * @throws FileFault
 */
export async function findDateOrders(
  { columns, options }: ImportSpec,
  { path, shape, maxRows }: { path: string; shape: FileShape; maxRows?: number },
  told: () => Promise<void> | void = () => {}
): Promise<FieldOrder[]> {
  const dates = columns.filter(hasDates)
  if (options.dateOrder !== null || dates.length === 0) return []
  const finders = dates.map(({ field, index }) => ({ field, index, finder: new OrderFinder() }))
  for await (const rows of rowBatches(path, shape, ROWS_AT_ONCE, maxRows)) {
    for (const { cells, line } of rows) {
      for (const { finder, index } of finders) finder.add(cells[index], line)
    }
    await told()
  }
  return finders
    .map(({ field, finder }) => ({ field: field.name, ...finder.found }))
    .filter(({ example }) => example !== null)
}

/** The plan with the orders that were found. */
export function withDateOrders(spec: ImportSpec, found: readonly FieldOrder[]): ImportSpec {
  const orderOf = (name: string): DateOrder | undefined =>
    found.find(({ field }) => field === name)?.order ?? undefined
  const columns = spec.columns.map((one) => ({ ...one, dateOrder: orderOf(one.field.name) }))
  return { ...spec, columns }
}

function hasDates({ byTitle, field }: MappedColumn): boolean {
  return !byTitle && (field.column?.kind === 'date' || field.column?.kind === 'datetime')
}
