import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { versionOf } from '#crud/resource/version'
import { writeJson } from '#crud/values/json'
import { toWire } from '#crud/values/to_api'
import type { AdminSite } from '../admin_site.js'
import { cellsOf, type ShownCell } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { prettyJson } from '../text/pretty_json.js'
import { titlesOf } from '../relations/references.js'
import type { FormField } from './fields/form_field.js'
import type { FormPage } from './form_page.js'
import type { Submission } from './submission/submission.js'

/**
 * The name of the field in which an update form carries the version of what it shows. [B25]
 */
export const versionField = '_version'

/**
 * The record is no longer what the form was made from.
 */
export class RowChanged extends Exception {
  static status = 409
  static code = 'E_ROW_CHANGED'
  static message = 'Somebody has changed this record since'

  /**
   * @param values  what was to be written, by attribute name
   */
  constructor(readonly values: Record<string, unknown>) {
    super()
  }
}

/**
 * For the `precondition` of an update, which looks at the locked record. A submission that says no
 * version is taken as it is. [B25]
 *
 * @param values  what is to be written, by attribute name
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

/**
 * One field, as somebody wants it and as it is.
 */
export interface ConflictRow {
  label: string
  /** Undefined where the field was left as it was */
  mine: ShownCell | undefined
  /** Undefined where it can't be shown */
  now: ShownCell | undefined
  differs: boolean
}

/**
 * The page that shows both versions, with what was typed in a form that goes on from the record as it is
 * now. Whoever saves it knows what they overwrite. [B25]
 *
 * @param record  as it is now, and as the viewer may see it
 */
export async function showConflict(
  ctx: HttpContext,
  site: AdminSite,
  form: FormPage,
  state: { record: LucidRow; submission: Submission; values: Record<string, unknown> }
): Promise<string> {
  const { record, submission, values } = state
  const { view, fields } = form
  const data = {
    ...(await form.data(ctx, { record, submission })),
    rows: await rowsOf(ctx, site, view, fields, record, values),
    lost: lostFields(fields, submission).map(({ label }) => label),
    theirs: view.url(`/update${view.resource.key.toPath(view.resource.key.of(record))}`),
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
    .filter(({ hidden, holds, column }) => !hidden && holds !== 'file' && column)
    .map(async (field) => {
      const column = field.column!
      const isKept = !Object.hasOwn(values, column.attribute)
      const now = toWire(column, attributes[column.attribute])
      const mine = isKept ? now : toWire(column, values[column.attribute])
      const [mineCell, nowCell] = await cells(ctx, site, field, [mine, now])
      return {
        label: view.labelOf(field.name),
        mine: isKept ? undefined : mineCell,
        now: nowCell,
        differs: writeJson(mine) !== writeJson(now),
      }
    })
  return await Promise.all(rows)
}

/** As the list shows values, but for texts: what was written is shown to its end. */
async function cells(
  ctx: HttpContext,
  site: AdminSite,
  { column, reference }: FormField,
  values: readonly unknown[]
): Promise<ShownCell[]> {
  const titles = reference ? await titlesOf(ctx, reference, values) : undefined
  const shown = cellsOf(column!, values, {
    isGrouped: false,
    text: (key, data) => site.text(key, data),
  })
  return values.map((value, index) => {
    if (value === null) return shown[index]
    const title = titles?.get(String(value))
    if (title !== undefined) return { kind: 'text', text: title }
    if (typeof value === 'string' && shown[index].kind === 'text')
      return { kind: 'text', text: value }
    if (typeof value === 'object') return { kind: 'text', text: prettyJson(value) }
    return shown[index]
  })
}

/** What was sent and does not come back: files are gone, and secrets do not stand in pages. */
function lostFields(fields: readonly FormField[], { files, shown }: Submission): FormField[] {
  return fields.filter(
    ({ name, secret }) => files.has(name) || (secret && shown[name]?.some((text) => text !== ''))
  )
}
