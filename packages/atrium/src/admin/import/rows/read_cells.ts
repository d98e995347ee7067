import type { AdminSite } from '../../admin_site.js'
import { UnreadableText } from '../../errors.js'
import { valueOfCell } from '../../sheets/cell_value.js'
import type { Cell } from '../../sheets/file_shape.js'
import type { ImportSpec } from '../import_spec.js'
import { addFault, type Draft } from './draft.js'

/**
 * Reads the cells of a row as the values of its fields. References that are given by title stay titles. [D3]
 */
export function readCells(site: AdminSite, spec: ImportSpec, draft: Draft): void {
  const { row } = draft
  if (row.fault) {
    addFault(draft, null, site.text(row.fault.key, row.fault.data))
    return
  }
  const { dateOrder, zone } = spec.options
  const { format, isFrom1904 } = spec
  const common = { format, isFrom1904, zone }
  for (const { byTitle, dateOrder: found, field, index } of spec.columns) {
    const cell: Cell = row.cells[index]
    if (cell === undefined) continue
    const column = byTitle ? field.reference!.view.titleColumn : field.column
    const fault = row.cellFaults?.find((one) => one.index === index)
    if (fault && (!fault.isOfText || column?.isText)) {
      addFault(draft, field.name, site.text(fault.key, fault.data))
      continue
    }
    try {
      const options = { ...common, dateOrder: dateOrder ?? found }
      draft.body[field.name] = valueOfCell(column, cell, options)
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error
      addFault(draft, field.name, `${field.label} ${error.message}`)
    }
  }
}
