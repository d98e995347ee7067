import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { cellsOf, textCell, type ShownCell } from '../list/cell.js'
import { cellMarkup } from '../list/rows_markup.js'
import { isIdentifier, withUnits } from '../list/table_columns.js'
import type { Site } from '../views/site.js'
import type { DraftSite } from './drafts/save_draft.js'
import type { ModelView } from '../views/model_view.js'
import { actionButtons } from '../views/record_action.js'
import { attachedFacts } from '../record/record_facts.js'
import { itemOf } from '../views/record_items.js'
import { parentRecord } from '../record/related_list.js'
import { referencesOf, titlesIfReadable } from '../relations/references.js'
import { historyLink } from '../http/event_access.js'
import { withRestore, copyUrl } from './prefill/prefill_urls.js'
import { withParentName } from '../http/list_query.js'
import { openedList, withList, type ListSite } from '../list/read_list.js'
import { may } from '../permissions/may.js'
import { isChoice } from './fields/choices.js'
import { widgetShow } from './fields/widgets/widget_cells.js'
import type { FormField } from './fields/form_field.js'
import { withDraftParameters } from './drafts/drafts.js'
import { neighbourRecords } from './neighbour_records.js'
import { wayBack } from './new_reference.js'
import type { FormFailure } from './submission/form_failure.js'

/** The form of a record and its fields. */
interface FormOfRecord {
  site: Site
  view: ModelView
  fields: readonly FormField[]
  /** Many-to-many fields */
  related: readonly FormField[]
}

/**
 * Returns what a form page shows next to the form: visible fields of the record that are not in the form, and attached
 * records. Empty values are left out, except those of datetimes.
 */
export async function formFacts(
  ctx: HttpContext,
  { site, view, fields, related }: FormOfRecord,
  record: LucidRow
) {
  const names = new Set(fields.filter(({ hidden }) => !hidden).map(({ name }) => name))
  const item = itemOf(view, record)
  const references = referencesOf(site, view)
  const facts = view.resource.fields
    .filter(({ apiName }) => !names.has(apiName) && apiName !== view.options.orderBy)
    .map(async (column) => {
      const value = item[column.apiName]
      const reference = references.find((one) => one.column === column)
      const text = site.text.bind(site)
      const options = {
        isGrouped: !isIdentifier(view, column),
        own: widgetShow(view, column, text),
        isChoice: !reference && isChoice(view, column),
        text,
      }
      const [cell] = cellsOf(column, [value], options)
      const titles = reference && (await titlesIfReadable(ctx, view, reference, [value]))
      const title = titles?.get(String(value))
      const label = view.labelOf(column.apiName)
      const plain = options.own ? cell : withUnits(view, column.apiName, cell)
      const shown: ShownCell = title ? textCell(title) : plain
      const isTime = column.kind === 'datetime'
      const isShown = shown.kind !== 'null' || isTime
      return {
        label,
        kind: shown.kind,
        title: shown.title,
        isTime,
        isShown,
        markup: cellMarkup(shown),
      }
    })
  const shown = new Set(related.map(({ name }) => name))
  const attached = await attachedFacts(ctx, site, view, record, shown)
  const own = await Promise.all(facts)
  return [
    ...own.filter(({ isShown }) => isShown),
    ...attached.filter(({ kind }) => kind !== 'null'),
  ]
}

/**
 * Returns the URLs of a form page, each with the list or parent record that the form was opened from: submission,
 * back links, previous and next record, history, copy and deletion.
 *
 * @param record  record to update; undefined for a create form
 */
export async function formLinks(
  ctx: HttpContext,
  site: ListSite & DraftSite,
  view: ModelView,
  record?: LucidRow
) {
  const key = record && view.resource.key.of(record)
  const path = key && view.resource.key.toPath(key)
  const isListed = await view.isVisibleTo(ctx)
  const list = isListed ? await openedList(ctx, site, view) : null
  const parent = list ? null : await parentRecord(ctx, site, view)
  const withOrigin = (url: string) => withParentName(withList(url, list), parent && parent.name)
  const copy = key ? await copyUrl(ctx, view, key) : null
  const history = key ? historyLink(ctx, view, key) : null
  const action = view.url(path === undefined ? '/form_create' : `/form_update${path}`)
  return {
    action: withDraftParameters(ctx, withOrigin(withRestore(ctx, action))),
    history: history && withList(history, list),
    copy: copy && withOrigin(copy),
    recordActions: key ? actionButtons(view, key) : [],
    list,
    neighbours: list && key ? await neighbourRecords(ctx, view, list, key) : null,
    back:
      (await wayBack(ctx, site)) ??
      parent?.url ??
      (isListed ? (list?.url ?? view.url('/')) : site.url('/')),
    parent,
    isListed,
    remove: path !== undefined &&
      (await may(ctx, view, 'delete', record)) && {
        url: view.url('/form_bulk_delete'),
        id: path.slice(1),
        from: withOrigin(view.url(`/update${path}`)),
      },
  }
}

/**
 * Returns the data of the button *Restore it* for a form that was rejected because a deleted record has the same unique
 * value.
 *
 * @param from  URL of the form
 * @returns null if there is no such record or the user is not allowed to restore it
 */
export async function restoreOffer(
  ctx: HttpContext,
  view: ModelView,
  failure: FormFailure | undefined,
  from: string
) {
  const { deleted } = failure ?? {}
  if (!deleted) return null
  const { key } = view.resource
  const parts = key.columns.map(({ apiName }) => deleted[apiName])
  const options = { ...view.callOptions(ctx), deleted: 'only' as const }
  const record = await view.crud.find(key.isComposite ? parts : parts[0], options)
  if (!record || !(await may(ctx, view, 'restore', record))) return null
  const path = key.toPath(key.of(record))
  return {
    url: view.url('/form_bulk_delete'),
    id: path.slice(1),
    next: view.url(`/update${path}`),
    from,
  }
}
