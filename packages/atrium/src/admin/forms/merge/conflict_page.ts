import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { withList } from '../../list/opened_list.js'
import type { ModelView } from '../../model_view.js'
import type { FieldView } from '../fields/field_view.js'
import type { FormField } from '../fields/form_field.js'
import { ConflictCells, type MarkedCell } from './conflict_cells.js'
import { choiceOf } from './given_fields.js'
import type { Merge } from './merge_submission.js'
import type { Conflict, FormAttempt } from './merging_save.js'
import { ONESELF, otherEditors, type Editor } from './other_editors.js'
import type { Submission } from '../submission/submission.js'

/**
 * A field that one person alone has changed.
 */
export interface ChangedRow {
  label: string
  isMine: boolean
  whose: string
  /** Undefined if it is not known */
  before: MarkedCell | undefined
  after: MarkedCell | undefined
}

/**
 * A field that both have changed.
 */
export interface AskedField {
  label: string
  /** Name of the two radio buttons */
  choice: string
  /** Undefined if it is not known */
  before: MarkedCell | undefined
  theirs: MarkedCell | undefined
  /** Name of a file that was sent, which the input does not show */
  file: MarkedCell | undefined
  whose: string
  /** Input with what was typed */
  field: FieldView
}

/**
 * Renders the page that asks for the fields that both have changed, and shows what only one of them changed. Its
 * form contains the merged values and the version of the current record, so that saving it overwrites
 * knowingly. [B25, R15]
 *
 * @param attempt  with the current record, as the viewer may see it
 */
export async function showConflict(
  ctx: HttpContext,
  site: AdminSite,
  { form, record, key, submission, restored }: FormAttempt,
  conflict: Conflict
): Promise<string> {
  const { view } = form
  const { merge, opened } = conflict
  const shown = await form.data(ctx, { record, submission, restored })
  const editors = opened
    ? await otherEditors(ctx, site, view, record, opened.at)
    : new Map<string, Editor>()
  const cells = new ConflictCells(ctx, site, form, record, submission, conflict)
  const data = {
    ...shown,
    fields: shown.fields.filter(({ name }) => !merge.asked.has(name)),
    asked: await Promise.all(
      shown.fields
        .filter(({ name }) => merge.asked.has(name))
        .map(async (field): Promise<AskedField> => {
          const { name, label } = field
          const [before, mine, theirs] = await cells.of(name)
          const whose = whoseVersion(site, editors.get(name))
          const file = submission.files.has(name) ? mine : undefined
          return { label, choice: choiceOf(name), before, theirs, file, whose, field }
        })
    ),
    rows: await changedRows(site, view, merge, editors, cells),
    lost: lostFields(form.fields, submission).map(({ label }) => label),
    theirs: withList(view.url(`/update${view.resource.key.toPath(key)}`), shown.list),
  }
  ctx.response.status(409).vary('HX-Request')
  const isPart = ctx.request.header('hx-request') !== undefined
  return await site.render(ctx, isPart ? 'partials/conflict_content' : 'pages/conflict', data)
}

async function changedRows(
  site: AdminSite,
  view: ModelView,
  { outcomes, theirs }: Merge,
  editors: ReadonlyMap<string, Editor>,
  cells: ConflictCells
): Promise<ChangedRow[]> {
  const mine = [...outcomes].flatMap(([name, outcome]) => (outcome === 'mine' ? [name] : []))
  const row = async (name: string, isMine: boolean): Promise<ChangedRow> => {
    const [before, typed, now] = await cells.of(name)
    return {
      label: view.labelOf(name),
      isMine,
      whose: isMine ? site.text('conflict.yourChange') : whoseChange(site, editors.get(name)),
      before,
      after: isMine ? typed : now,
    }
  }
  return await Promise.all([
    ...theirs.map((name) => row(name, false)),
    ...mine.map((name) => row(name, true)),
  ])
}

function whoseChange(site: AdminSite, editor: Editor | undefined): string {
  if (editor === ONESELF) return site.text('conflict.otherWindow')
  return editor === undefined
    ? site.text('conflict.somebodysChange')
    : site.text('conflict.change', { name: editor })
}

function whoseVersion(site: AdminSite, editor: Editor | undefined): string {
  if (editor === undefined || editor === ONESELF) return site.text('conflict.now')
  return site.text('conflict.version', { name: editor })
}

/** Fields that the form can't send back: files, and secrets, which pages do not contain. */
function lostFields(fields: readonly FormField[], { files, shown }: Submission): FormField[] {
  return fields.filter(
    ({ name, secret }) => files.has(name) || (secret && shown[name]?.some((text) => text !== ''))
  )
}
