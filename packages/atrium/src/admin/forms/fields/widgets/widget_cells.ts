import type { Column } from '#base/columns/column'
import { choiceCell, type Show, type ShownCell } from '../../../list/cell.js'
import { choiceOf } from '../../../views/choice_options.js'
import type { ModelView } from '../../../views/model_view.js'
import { escaped } from '../../../text/plain_text.js'
import { isFileField, isFileList, imageType, INLINE, THUMBNAIL } from '../../files/file_fields.js'
import { filesIn, isFileKey } from '../../files/file_owners.js'
import { labelOfFile } from '../../files/file_list_view.js'
import type { FormField } from '../form_field.js'
import { Widget } from '../../../views/widget.js'
import { FormWidget, type Text } from './form_widget.js'
import { makeWidget } from './make_widget.js'

/**
 * Returns the function that formats the values of a column in lists: as files, with its widget, or with its choices;
 * undefined if it has none of these.
 */
export function widgetShow(view: ModelView, column: Column, text: Text): Show | undefined {
  if (isFileList(view, column)) return (value) => fileListCell(view, column, value, text)
  if (isImage(view, column)) return (value) => imageCell(view, column, value, text)
  if (isFileField(view, column.apiName)) return (value) => fileCell(view, column, value)
  const widget = widgetOf(view, column)
  if (widget?.cell) return (value) => widget.cell!(value, text)
  if (!view.fieldOptions(column.apiName).choices) return undefined
  return (value) => {
    const options = choiceOf(view, column.apiName, value)
    return options ? choiceCell(value, options) : null
  }
}

/** Like `widgetShow`, for the page of a record, which has space for the whole value. */
export function wholeShow(view: ModelView, column: Column, text: Text): Show | undefined {
  const widget = widgetOf(view, column)
  if (!widget) return widgetShow(view, column, text)
  return (value) =>
    widget.whole ? widget.whole(value, text) : (widget.cell?.(value, text) ?? null)
}

function isImage(view: ModelView, { apiName }: Column): boolean {
  return view.fieldOptions(apiName).widget === 'image'
}

function widgetOf(view: ModelView, { apiName, kind }: Column) {
  const options = view.fieldOptions(apiName)
  if (typeof options.widget === 'function') {
    const widget = new options.widget()
    return widget instanceof FormWidget ? widget : undefined
  }
  return makeWidget(options, {
    kind,
    isList: false,
    strict: false,
    most: Infinity,
    isCreate: false,
  })
}

function imageCell(
  view: ModelView,
  { apiName }: Pick<Column, 'apiName'>,
  value: unknown,
  text: Text
): ShownCell | null {
  if (!isFileKey(value) || imageType(value) === undefined) return fileCell(view, { apiName }, value)
  const url = view.url(`/files/${value}`)
  const alt = text('list.image', { label: view.labelOf(apiName) })
  return {
    kind: 'image',
    text: alt,
    href: `${url}?${INLINE}`,
    markup: `<img class="value-image" src="${escaped(`${url}?${THUMBNAIL}`)}" alt="${escaped(alt)}" loading="lazy" width="40" height="40">`,
  }
}

function fileCell(
  view: ModelView,
  { apiName }: Pick<Column, 'apiName'>,
  value: unknown
): ShownCell | null {
  if (!isFileKey(value)) return null
  const href = view.url(`/files/${value}`)
  return { kind: 'text', text: labelOfFile(view, apiName, value), href }
}

/** Returns a cell with the first file of a list, and the number of files; null for an empty list. */
function fileListCell(
  view: ModelView,
  column: Column,
  value: unknown,
  text: Text
): ShownCell | null {
  const [file, ...others] = filesIn(column, value)
  if (file === undefined) return null
  const { apiName } = column
  const more = others.length > 0 ? ` +${others.length}` : ''
  const href = view.url(`/files/${file}`)
  if (imageType(file) === undefined) {
    return { kind: 'text', text: labelOfFile(view, apiName, file) + more, href }
  }
  const count = others.length + 1
  const alt = text('list.images', { label: view.labelOf(apiName), count })
  const image = `<img class="value-image" src="${escaped(`${href}?${THUMBNAIL}`)}" alt="${escaped(alt)}" loading="lazy" width="40" height="40">`
  const number = more && `<span aria-hidden="true">${more}</span>`
  return {
    kind: 'image',
    text: alt,
    href: `${href}?${INLINE}`,
    markup: `<span class="value-tags">${image}${number}</span>`,
  }
}

/** Returns the stylesheets of the widgets in a form. Each has a script of the same name. */
export function sheetsOf(fields: readonly FormField[]): string[] {
  return fields.flatMap(({ multiple, valueType, widget }) => {
    if (valueType === 'file' && multiple) return ['files_field.css']
    if (widget === 'image') return ['image_field.css']
    return widget instanceof Widget ? (widget.sheet ?? []) : []
  })
}
