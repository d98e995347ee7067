import type { Column } from '#crud/internals'
import type { ModelView } from '../../model_view.js'

/**
 * Columns with keys of stored files: those with `vine.file()` in a schema, or with the widget
 * `file`. The view's resource must be loaded. [B17]
 */
export function fileColumnsOf({ options, resource }: ModelView): Column[] {
  const { createBody, updateBody } = resource.base
  const fields = [...createBody.fields, ...updateBody.fields]
  return resource.columns.visible.filter((column) => {
    const isTaken = fields.some(
      (field) => field.column === column && field.type === 'multipartFile'
    )
    return isTaken || options.fields?.[column.apiName]?.widget === 'file'
  })
}

/**
 * Returns true if the field takes a file.
 */
export function isFileField(view: ModelView, apiName: string): boolean {
  return fileColumnsOf(view).some((column) => column.apiName === apiName)
}
