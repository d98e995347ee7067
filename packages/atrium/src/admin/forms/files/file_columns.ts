import type { Column } from '#base/columns/column'
import type { ModelView } from '../../model_view.js'

/**
 * Columns with keys of stored files: those with `vine.file()` in a schema, or with the widget
 * `file`. The view's resource must be loaded. [B17]
 */
export function fileColumnsOf(view: ModelView): Column[] {
  const taken = takenBySchemas(view)
  return view.resource.columns.visible.filter((column) => holdsFile(view, column, taken))
}

function takenBySchemas({ resource }: ModelView): Set<Column | undefined> {
  const { createBody, updateBody } = resource.base
  const fields = [...createBody.fields, ...updateBody.fields]
  return new Set(fields.flatMap(({ column, type }) => (type === 'multipartFile' ? [column] : [])))
}

function holdsFile({ options }: ModelView, column: Column, taken: Set<Column | undefined>) {
  return taken.has(column) || isFileWidget(options.fields?.[column.apiName]?.widget)
}

/**
 * Returns true if a widget takes files.
 */
export function isFileWidget(widget: unknown): boolean {
  return widget === 'file' || widget === 'image'
}

/**
 * Returns true if the field takes a file.
 */
export function isFileField(view: ModelView, apiName: string): boolean {
  const column = view.resource.columns.visible.find((one) => one.apiName === apiName)
  return column !== undefined && holdsFile(view, column, takenBySchemas(view))
}
