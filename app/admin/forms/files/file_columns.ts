import type { Column } from '#crud/resource/column'
import type { ModelView } from '../../model_view.js'

/**
 * The columns that hold the keys of stored files: those that a schema takes a `vine.file()` for, and
 * those whose widget is `file`. The view's resource must be loaded. [B17]
 */
export function fileColumnsOf({ options, resource }: ModelView): Column[] {
  const fields = [...resource.createBody.fields, ...resource.updateBody.fields]
  return resource.columns.visible.filter((column) => {
    const isTaken = fields.some(
      (field) => field.column === column && field.type === 'multipartFile'
    )
    return isTaken || options.fields?.[column.wire]?.widget === 'file'
  })
}

/**
 * Whether the field takes a file.
 */
export function isFileField(view: ModelView, wire: string): boolean {
  return fileColumnsOf(view).some((column) => column.wire === wire)
}
