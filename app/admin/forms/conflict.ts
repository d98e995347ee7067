import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { versionOf, writeJson, toApi } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { cellsOf, type ShownCell } from '../list/cell.js'
import { cellMarkup } from '../list/cell_markup.js'
import { withList } from '../list/opened_list.js'
import type { ModelView } from '../model_view.js'
import { visibleText } from '../text/plain_text.js'
import { prettyJson } from '../text/pretty_json.js'
import { titlesOf } from '../relations/references.js'
import type { FormField } from './fields/form_field.js'
import { Widget } from './fields/widget.js'
import type { FormPage } from './form_page.js'
import type { Submission } from './submission/submission.js'
import { RowChanged } from '../errors.js'

/**
 * `precondition` of an update, which checks the locked record. A submission without a version is
 * accepted. [B25]
 *
 * @param values  values to write, by attribute name
 * @throws RowChanged
 */
export function assertVersion(
  view: ModelView,
  record: LucidRow,
  submitted: string | undefined,
  values: Record<string, unknown>
): void {
  if (submitted !== undefined && submitted !== versionOf(view.resource, record)) {
    throw new RowChanged(values)
  }
}

type MarkedCell = ShownCell & { markup: string }

/**
 * One field in both versions.
 */
export interface ConflictRow {
  label: string
  /** Undefined if the field was left unchanged */
  mine: MarkedCell | undefined
  /** Undefined if it can't be shown */
  now: MarkedCell | undefined
  differs: boolean
}

/**
 * Renders the page with both versions. Its form contains the submitted values and the version of
 * the current record, so that saving it overwrites knowingly. [B25]
 *
 * @param record  current record, as the viewer may see it
 */
export async function showConflict(
  ctx: HttpContext,
  site: AdminSite,
  form: FormPage,
  state: { record: LucidRow; submission: Submission; values: Record<string, unknown> }
): Promise<string> {
  const { record, submission, values } = state
  const { view, fields } = form
  const { key } = view.resource
  const shown = await form.data(ctx, { record, submission })
  const data = {
    ...shown,
    rows: await rowsOf(ctx, site, view, fields, record, values),
    lost: lostFields(fields, submission).map(({ label }) => label),
    theirs: withList(view.url(`/update${key.toPath(key.of(record))}`), shown.list),
  }
  ctx.response.status(409).vary('HX-Request')
  const isPart = ctx.request.header('hx-request') !== undefined
  return await site.render(ctx, isPart ? 'partials/conflict_content' : 'pages/conflict', data)
}

async function rowsOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  fields: readonly FormField[],
  record: LucidRow,
  values: Record<string, unknown>
): Promise<ConflictRow[]> {
  const attributes = record as unknown as Record<string, unknown>
  const rows = fields
    .filter(({ hidden, valueType, column }) => !hidden && valueType !== 'file' && column)
    .map(async (field) => {
      const column = field.column!
      const isKept = !Object.hasOwn(values, column.attribute)
      const now = toApi(column, attributes[column.attribute])
      const mine = isKept ? now : toApi(column, values[column.attribute])
      const shown = await cells(ctx, site, field, [mine, now])
      const [mineCell, nowCell] = shown.map((cell) => ({ ...cell, markup: cellMarkup(cell) }))
      return {
        label: view.labelOf(field.name),
        mine: isKept ? undefined : mineCell,
        now: nowCell,
        differs: writeJson(mine) !== writeJson(now),
      }
    })
  return await Promise.all(rows)
}

/** Values as in the list, except that submitted texts are not cut. */
async function cells(
  ctx: HttpContext,
  site: AdminSite,
  { column, reference, widget, choices }: FormField,
  values: readonly unknown[]
): Promise<ShownCell[]> {
  const titles = reference ? await titlesOf(ctx, reference, values) : undefined
  const shown = cellsOf(column!, values, {
    isGrouped: false,
    isChoice: !reference && choices !== undefined && column!.isText,
    text: (key, data) => site.text(key, data),
  })
  return values.map((value, index) => {
    if (value === null) return shown[index]
    const words = widget instanceof Widget ? widget.words?.(value) : undefined
    if (words !== undefined) return { kind: 'text', text: words }
    const title = titles?.get(String(value))
    if (title !== undefined) return { kind: 'text', text: title }
    if (typeof value === 'string' && shown[index].kind === 'text')
      return { kind: 'text', text: visibleText(value) }
    if (typeof value === 'object') return { kind: 'text', text: visibleText(prettyJson(value)) }
    return shown[index]
  })
}

/** Fields that the form can't send back: files, and secrets, which pages do not contain. */
function lostFields(fields: readonly FormField[], { files, shown }: Submission): FormField[] {
  return fields.filter(
    ({ name, secret }) => files.has(name) || (secret && shown[name]?.some((text) => text !== ''))
  )
}
