import type { DeletedMode } from '#base/columns/soft_delete'
import { groupedNumber } from '#base/values/numbers'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import type { Offer } from '../permissions/may.js'
import type { ListParameters } from '../list/list_parameters.js'
import { ActionTask, DeleteOrRestoreTask, type Write } from './bulk_tasks.js'
import type { BulkTask } from './bulk_task.js'
import { editableFields } from './edit/changes.js'
import { EditTask } from './edit/edit_task.js'

/** Plural forms of a text; the script replaces `{n}` by the number. */
interface Counted {
  one: string
  other: string
}

interface Button {
  /** Value of the form field `action` */
  value: string
  label: string
  isDestructive: boolean
  /** True if the button opens a confirmation page */
  asks: boolean
  /** URL that the form is sent to */
  place: string
  /** True if the button opens a form that the script shows in a dialog on the list */
  hasPanel: boolean
  /** HTTP method of the form; default: POST */
  sentBy?: 'get'
  /** Request that the script sends instead of the form */
  call: { method: 'DELETE' | 'POST'; url: string } | null
  /** Heading of the script's dialog */
  heading: Counted
  note: Counted
}

/** Buttons above the list for the selected records. */
export interface BulkBar {
  buttons: Button[]
  /** URL of the form; each button overrides it */
  place: string
  selected: Counted
  /** Number of selected records that are on other pages of the list */
  elsewhere: Counted
  more: Counted
  /** URL that reverts a soft deletion; null if the viewer cannot restore records */
  undoUrl: string | null
}

/** Minimum and maximum number of records that can be merged, as in bulk.js */
export const MERGED = { min: 2, max: 10 }

/** Minimum and maximum number of records that can be compared, as in bulk.js */
export const COMPARED = { min: 2, max: 5 }

/* Writes that the bulk bar offers, depending on whether the list shows deleted records. */
const WRITES_FOR: Record<DeletedMode, readonly Write[]> = {
  exclude: ['delete'],
  include: ['delete', 'restore', 'purge'],
  only: ['restore', 'purge'],
}

/**
 * Returns the bulk bar of a list.
 *
 * @param deleted  which records the list shows
 * @param offers   what the viewer is allowed to do with the model
 * @returns null if no bulk task is available
 */
export function bulkBar(
  site: Site,
  view: ModelView,
  deleted: DeletedMode,
  offers: ReadonlySet<Offer>
): BulkBar | null {
  const writes = WRITES_FOR[deleted]
  const actions = deleted === 'only' ? [] : view.bulkActions
  const edits = deleted !== 'only' && editableFields(site, view).length > 0
  const all: BulkTask[] = [
    ...(edits ? [new EditTask(site, view)] : []),
    ...actions.map((action) => new ActionTask(site, view, action)),
    ...writes.map((write) => new DeleteOrRestoreTask(site, view, write)),
  ]
  const tasks = all.filter(({ needs }) => offers.has(needs)).map((task) => buttonOf(task, view))
  const exports = view.may('view') && offers.has('export') ? [exportButton(site, view)] : []
  const isWrite = ({ call, isDestructive }: Button) => call !== null || isDestructive
  const buttons = [
    ...tasks.filter((one) => !isWrite(one)),
    ...(view.may('view') && offers.has('view') ? [compareButton(site, view)] : []),
    ...(isMergeable(view, deleted, offers) ? [mergeButton(site, view)] : []),
    ...exports,
    ...tasks.filter((one) => isWrite(one)),
  ]
  if (buttons.length === 0) return null
  return {
    buttons,
    place: buttons.at(-1)!.place,
    selected: counted((count, shown) => site.text('bulk.selected', { count, shown })),
    elsewhere: counted((count, shown) => site.text('bulk.elsewhere', { count, shown })),
    more: counted((count, shown) => site.text('bulk.more', { count, shown })),
    undoUrl: view.resource.softDelete && offers.has('restore') ? view.url('/bulk-restore') : null,
  }
}

function buttonOf(task: BulkTask, view: ModelView): Button {
  return {
    value: task.value,
    label: task.label,
    isDestructive: task.isDestructive,
    asks: task.confirms,
    place: view.url(task.path),
    hasPanel: false,
    /* A permanent deletion always opens the confirmation page, which shows the further effects. */
    call: task instanceof DeleteOrRestoreTask && !task.isLasting ? callOf(task.value, view) : null,
    heading: counted((count, shown) => task.heading(count, shown)),
    note: counted((count) => task.note(count) ?? ''),
  }
}

/** Button that shows the selected records side by side. */
function compareButton(site: Site, view: ModelView): Button {
  return {
    ...pageButton('compare', site.text('compare.open'), view.url('/compare')),
    sentBy: 'get',
  }
}

function isMergeable(view: ModelView, deleted: DeletedMode, offers: ReadonlySet<Offer>): boolean {
  return !view.adminModel && deleted === 'exclude' && offers.has('update') && offers.has('delete')
}

/** Button that merges the selected records, after a page with their values. */
function mergeButton(site: Site, view: ModelView): Button {
  return {
    ...pageButton('merge', site.text('merge.open'), view.url('/merge')),
    sentBy: 'get',
  }
}

/** Button that opens the export dialog for the selected records. */
function exportButton(site: Site, view: ModelView): Button {
  const button = pageButton('export', site.text('export.selected'), view.url('/export/selected'))
  return { ...button, hasPanel: true }
}

function pageButton(value: string, label: string, place: string): Button {
  const none = { one: '', other: '' }
  return {
    value,
    label,
    place,
    isDestructive: false,
    asks: false,
    hasPanel: false,
    call: null,
    heading: none,
    note: none,
  }
}

function callOf(write: Write, view: ModelView): Button['call'] {
  if (write === 'restore') return { method: 'POST', url: view.url('/bulk-restore') }
  const query = write === 'purge' ? '?hard=true' : ''
  return { method: 'DELETE', url: view.url('/bulk-delete') + query }
}

function counted(text: (count: number, shown: string) => string): Counted {
  return { one: text(1, '{n}'), other: text(2, '{n}') }
}

/** Checkbox that selects all records of a list on all pages. */
export interface MatchingOffer {
  /** Query string of the list, without the saved view, which can change in the meantime */
  query: string
  /** Number of matching records, which must be the same when the task runs */
  count: number
  label: string
  selected: string
}

/**
 * Returns the checkbox that selects all matching records.
 *
 * @param total  null if it is not known
 * @param shown  number of records on the page
 * @returns null if the total is unknown, the page shows all records, or the list mixes deleted and other records
 */
export function matchingOffer(
  site: Site,
  { deleted, wholeQuery: query }: ListParameters,
  total: number | null,
  shown: number
): MatchingOffer | null {
  if (total === null || total <= shown || deleted === 'include') return null
  const number = { shown: groupedNumber(total) }
  return {
    query,
    count: total,
    label: site.text('bulk.all.label', number),
    selected: site.text('bulk.all.selected', number),
  }
}
