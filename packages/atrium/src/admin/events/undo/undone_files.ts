import { fromStored } from '#base/values/stored_json'
import type { Column } from '#base/columns/column'
import { UndoRefused } from '../../errors.js'
import { fileColumnsOf } from '../../forms/files/file_columns.js'
import { dropFile, hasFile } from '../../forms/files/file_store.js'
import type { ModelView } from '../../model_view.js'
import type { UndoStep, UndoTarget } from './undo_step.js'

/** A file that no record refers to after an undo. */
export interface LeftFile {
  view: ModelView
  key: unknown
}

/**
 * @throws UndoRefused  when a record would get back the name of a file that is gone
 */
export async function refuseLostFiles(
  { name, view }: UndoTarget,
  steps: readonly UndoStep[]
): Promise<void> {
  const columns = view ? fileColumnsOf(view.base) : []
  if (!view || columns.length === 0) return
  for (const { reversal, resourceType } of steps) {
    if (resourceType !== name) continue
    for (const column of columns) {
      const file = fromStored(reversal.before?.[column.name])
      if (file !== null && !(await hasFile(view, file))) throw new UndoRefused('files')
    }
  }
}

/**
 * The files of the rows that a step changes, so that they can be removed afterwards.
 *
 * @param row  as it is
 */
export function filesOf({ reversal, target }: UndoStep, row: Record<string, unknown>): LeftFile[] {
  const { view } = target
  if (!view) return []
  const isTaken = ({ name }: Column) => reversal.before === null || name in reversal.before
  return fileColumnsOf(view.base)
    .filter((column) => isTaken(column) && row[column.name])
    .map((column) => ({ view, key: row[column.name] }))
}

/** Removes files that no record refers to. */
export async function dropLeftFiles(files: readonly LeftFile[]): Promise<void> {
  for (const { view, key } of files) await dropFile(view, key)
}
