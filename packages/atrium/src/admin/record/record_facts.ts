import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { Site } from '../views/site.js'
import { fileColumnsOf, INLINE, isFileList } from '../forms/files/file_fields.js'
import { filesIn } from '../forms/files/file_owners.js'
import { nameOfFile, shownFiles, type ShownFile } from '../forms/files/file_list_view.js'
import type { Text } from '../forms/fields/widgets/form_widget.js'
import { wholeShow } from '../forms/fields/widgets/widget_cells.js'
import { listCell, type ShownCell, cutText } from '../list/cell.js'
import { cellMarkup } from '../list/rows_markup.js'
import { columnChoices } from '../list/columns/column_choices.js'
import { ListTable } from '../list/list_table.js'
import { type TableColumn, withUnits } from '../list/table_columns.js'
import type { ModelView } from '../views/model_view.js'
import { visibleText, plainItems, escaped } from '../text/plain_text.js'
import { prettyJson } from '../text/json_text.js'
import { attachedRecords, seenManyToMany, type ManyToMany } from '../relations/many_to_many.js'
import { recordLinks } from '../http/record_links.js'

/* Maximum length of a value in a narrow column; longer values use the full width of the page. */
const SHORT = 60

/** A value of a record, with the label of the field. */
export interface RecordFact {
  name: string
  label: string
  kind: ShownCell['kind']
  title: string | undefined
  markup: string
  isLong: boolean
  /** True for a datetime */
  isTime: boolean
}

/**
 * Returns all values of a record that the list of the model can show, formatted as in the list but not shortened.
 *
 * @param item  record as visible to the signed-in user, including the key
 */
export async function recordFacts(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  item: Item
): Promise<RecordFact[]> {
  const { resource } = view
  const declared = [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()]
  const names = new Set([...declared, ...columnChoices(view).all.keys()])
  const text = site.text.bind(site)
  const table = new ListTable(site, view, [...names])
  const cells = await table.cells(ctx, [item])
  const files = await fileCells(ctx, view, item)
  return table.columns.map((column, index) => {
    const value = item[column.name]
    const isOwn = column.column && !column.related
    const own = isOwn ? wholeShow(view, column.column!, text) : undefined
    const whole =
      (value !== null && value !== undefined && own?.(value)) ||
      (column.related ? cells[index][0] : wholeCell(view, column, cells[index][0], value, text))
    const cell = files.get(column.name)?.(whole) ?? whole
    const { kind, title } = cell
    return {
      name: column.name,
      label: column.label,
      kind,
      title,
      markup: cellMarkup(cell),
      isTime: column.column?.kind === 'datetime',
      isLong:
        kind === 'json' ||
        kind === 'markdown' ||
        kind === 'files' ||
        cell.text.length > SHORT ||
        cell.text.includes('\n'),
    }
  })
}

/** Returns functions that add the names of files to the cells of file fields, by API name. */
async function fileCells(
  ctx: HttpContext,
  view: ModelView,
  item: Item
): Promise<Map<string, (cell: ShownCell) => ShownCell>> {
  const cells = new Map<string, (cell: ShownCell) => ShownCell>()
  const record = keyOf(item)!
  for (const column of fileColumnsOf(view)) {
    const name = column.apiName
    const files = filesIn(column, item[name])
    if (isFileList(view, column) && files.length > 0) {
      const { widget = 'file' } = view.fieldOptions(name)
      const field = { name, multiple: true, valueType: 'file', widget } as const
      const shown = await shownFiles(ctx, view, field, files, files, record)
      cells.set(name, () => filesCell(shown))
    } else if (files.length === 1) {
      const text = await nameOfFile(view, name, files[0], record)
      cells.set(name, (cell) => (cell.kind === 'text' ? { ...cell, text } : cell))
    }
  }
  return cells
}

/** Returns a cell with all files of a list. */
function filesCell(files: readonly ShownFile[]): ShownCell {
  const items = files.map(({ image, key, name, url = '' }) => {
    const preview = image
      ? `<img class="value-image" src="${escaped(image)}" alt="" loading="lazy">`
      : `<span class="value-file-type" aria-hidden="true">${extname(key).slice(1)}</span>`
    return `<li><a href="${escaped(image ? `${url}?${INLINE}` : url)}">${preview}<bdi>${escaped(name)}</bdi></a></li>`
  })
  const text = files.map(({ name }) => name).join(', ')
  return { kind: 'files', text, markup: `<ul class="value-files">${items.join('')}</ul>` }
}

function wholeCell(
  view: ModelView,
  { name, own, reference }: TableColumn,
  cell: ShownCell,
  value: unknown,
  text: Text
): ShownCell {
  const items = cell.kind === 'tags' ? plainItems(value) : null
  if (items) return listCell(items, text, Infinity)
  if (cell.kind === 'json' && cell.whole !== undefined) {
    return { ...cell, whole: visibleText(prettyJson(value)) }
  }
  if (cell.kind !== 'text' || own) return cell
  const { title, ...rest } = cell
  if (reference || typeof value !== 'string') return { ...rest, text: title ?? cell.text }
  return withUnits(view, name, { ...rest, text: visibleText(value) })
}

/* Maximum number of listed records; further ones are only mentioned. */
const MOST_SHOWN = 100

const LONGEST_TITLE = 120

/**
 * Returns the records attached to a record by many-to-many relations, as links.
 *
 * @param view    view with the permissions of the user's roles
 * @param except  names of relations that are shown elsewhere
 */
export async function attachedFacts(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow,
  except: ReadonlySet<string> = new Set()
): Promise<RecordFact[]> {
  if (view.manyToMany.length === 0) return []
  const relations = await seenManyToMany(ctx, site, view)
  return await Promise.all(
    relations
      .filter(({ name }) => !except.has(name))
      .map((many) => factOf(ctx, site, view, many, record))
  )
}

async function factOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  many: ManyToMany,
  record: LucidRow
): Promise<RecordFact> {
  const { label, name, reference } = many
  const found = await attachedRecords(ctx, view, many, record, MOST_SHOWN)
  const { records, isMore } = found
  const fact = { name, label, title: undefined, isTime: false, isLong: records.length > 3 }
  if (records.length === 0) {
    const text = site.text('list.null')
    return { ...fact, kind: 'null', markup: cellMarkup({ kind: 'null', text }) }
  }
  const linkTo = await recordLinks(
    ctx,
    reference.view,
    records.map(({ key }) => key)
  )
  const titles = records.map(({ key, label: title, isDeleted }) => {
    const href = linkTo(key, isDeleted) ?? undefined
    return cellMarkup({ kind: 'text', text: cutText(title, LONGEST_TITLE), href })
  })
  if (isMore) titles.push(escaped(site.text('manyToMany.more')))
  return { ...fact, kind: 'text', markup: titles.join(', ') }
}
