import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import type { KeyValue } from '#base/columns/key'
import { RowChanged } from './errors.js'
import { Uploads, type EarlierFiles } from './files/uploads.js'
import { WaitingFiles } from './files/waiting_files.js'
import { itemOf } from '../views/record_items.js'
import type { RestoredFields } from './prefill/restored_fields.js'
import { planRows } from './inlines/plan_rows.js'
import { checkedWith, saveWithRows } from './inlines/save_rows.js'
import type { FormPage } from './form_page.js'
import { changesRelated, takeRelated } from './many_to_many/many_to_many_fields.js'
import type { SentOnce } from './submission/sent_once.js'
import { withoutUnseen, type Submission } from './submission/submission.js'
import { isSameItem, keepUntouched, touchedErrors, untouchedIn } from './submission/untouched.js'
import {
  internalValues,
  keyIn,
  valuesBefore,
  validateSubmission,
} from './submission/submitted_values.js'

/**
 * The record of an update form.
 */
export interface UpdatedRecord {
  key: KeyValue
  record: LucidRow
  /** Earlier version of the record that the form was filled in with */
  restored?: RestoredFields | null
  /** Token of the submission, so that submitting the form twice creates its new rows only once */
  once?: SentOnce | null
}

export interface StoredUpdate {
  /** Undefined if the user can no longer see the record */
  item: Item | undefined
  isChanged: boolean
}

/**
 * Validates the submission of an update form and writes it.
 *
 * @param form          form of the record
 * @param precondition  called with the locked record and the values to write, by attribute name; an error that it
 *   throws prevents the write
 * @param stored        files of the submission; they are preserved for another attempt if the record has changed
 * @throws InvalidForm
 * @throws Problem 403, 404, 409 or 422
 */
export async function storeUpdate(
  ctx: HttpContext,
  form: FormPage,
  { key, record, restored, once }: UpdatedRecord,
  sent: Submission,
  precondition: (locked: LucidRow, values: Record<string, unknown>) => void,
  stored?: EarlierFiles
): Promise<StoredUpdate> {
  const { view } = form
  const { resource, crud } = view
  const seen = withoutUnseen(sent, form.unseen(sent, record))
  const [submission, related] = takeRelated(form.fields, seen)
  const uploads = new Uploads(view, form.fields, submission, {
    earlier: stored,
    record,
    waiting: new WaitingFiles(ctx, view),
  })
  let item: Item | undefined
  let isChanged: boolean
  try {
    const withKey = {
      ...submission,
      values: { ...keyIn(view, record), ...form.required(record), ...submission.values },
      errors: touchedErrors(form.fields, submission, record),
    }
    const plan = await planRows(ctx, form.site, view, submission, record)
    const values = await checkedWith(plan, () =>
      validateSubmission(
        resource.updateBody,
        withKey,
        uploads,
        { operation: 'update', key },
        { record: valuesBefore(view, record, untouchedIn(form.fields, submission, record)) }
      )
    )
    keepUntouched(form.fields, submission, record, values)
    form.keepRequired(record, values)
    restored?.keepExact(submission, values)
    const isSent =
      (await form.changes(record, submission, values)) ||
      (await changesRelated(form.fields, related, record))
    const written = { ...values, ...internalValues(view) }
    await saveWithRows(
      ctx,
      form.site,
      view,
      plan,
      (options) => {
        restored?.noteIn(options.origin)
        const update = (own: typeof options) =>
          crud.update(key, written, {
            ...own,
            files: uploads.names,
            related,
            precondition: (locked) => {
              precondition(locked, values)
              form.keepRequired(locked, written)
            },
            written: (updated) => (item = updated),
          })
        const creates = plan?.changes.some(({ kind }) => kind === 'create')
        return once && creates ? once.write(options, update, () => key) : update(options)
      },
      () => key
    )
    /* Hooks of the model may have changed values that were not submitted. */
    isChanged =
      isSent ||
      (plan?.changes.length ?? 0) > 0 ||
      (item !== undefined && !isSameItem(resource, itemOf(view, record), item))
  } catch (error) {
    if (!(stored && error instanceof RowChanged)) await uploads.drop()
    throw error
  }
  await uploads.belongTo(key)
  await uploads.dropReplaced(record)
  return { item, isChanged }
}
