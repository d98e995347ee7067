import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import type { KeyValue } from '#base/columns/key'
import { keyOf } from '#base/items'
import { RowChanged } from './errors.js'
import { Uploads, type EarlierFiles } from './files/uploads.js'
import { WaitingFiles } from './files/waiting_files.js'
import type { FormPage } from './form_page.js'
import type { FoundRecord } from './form_record.js'
import { planRows } from './inlines/plan_rows.js'
import { checkedWith, saveWithRows } from './inlines/save_rows.js'
import { changesRelated, takeRelated } from './many_to_many/many_to_many_fields.js'
import type { RestoredFields } from './prefill/restored_fields.js'
import type { SentOnce } from './submission/sent_once.js'
import { withoutUnseen, type Submission } from './submission/submission.js'
import {
  internalValues,
  keyIn,
  valuesBefore,
  validateSubmission,
} from './submission/submitted_values.js'
import {
  isSameItem,
  keepUntouched,
  touchedErrors,
  untouchedIn,
} from './submission/unchanged_fields.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'

/** Called with the locked record and the values to write, by attribute name; an error prevents the write */
export type Precondition = (locked: LucidRow, values: Values) => void

/** What a save needs in addition to the submission. */
interface SaveState {
  /** Record to update, as it was read for the form; undefined to create one */
  found?: FoundRecord
  /** Earlier version of the record that the form was filled in with */
  restored?: RestoredFields | null
  /** Token of the submission, so that submitting the form twice creates its records only once */
  once?: SentOnce | null
  /** Files that earlier attempts have stored; they are preserved for the next attempt if the record has changed */
  stored?: EarlierFiles
}

export interface SavedForm {
  /** Undefined if the user can no longer see the record */
  item: Item | undefined
  isChanged: boolean
}

type Values = Record<string, unknown>
type Related = ReturnType<typeof takeRelated>[1]
type WriteOptions = ReturnType<ModelView['callOptions']> & {
  files: ReadonlySet<string> | undefined
  related: Related
}

/** The steps in which creating a record and updating one differ. */
interface Operation {
  /** True if repeating the submission would create a second record */
  createsRecord: boolean
  /** Returns the values to write, by attribute name */
  validate(uploads: Uploads | null): Promise<Values>
  /** Returns true if the values differ from those of the record */
  changes(values: Values, related: Related): Promise<boolean>
  write(values: Values, options: WriteOptions): Promise<Written>
}

interface Written {
  item: Item | undefined
  /** Undefined if a custom `create` of the model's `LucidCrud` subclass has returned an item without a key */
  key: KeyValue | undefined
}

/**
 * Validates the submission of a form and writes its record, rows and attached records.
 *
 * @param form          form of the record, or of a new one
 * @param precondition  precondition of an update
 * @throws InvalidForm
 * @throws Problem  403, 404, 409 or 422
 */
export async function saveForm(
  ctx: HttpContext,
  form: FormPage,
  sent: Submission,
  { found, restored, once, stored }: SaveState,
  precondition?: Precondition
): Promise<SavedForm> {
  const { site, view, fields } = form
  const record = found?.record
  const seen = withoutUnseen(sent, form.unseen(sent, record))
  const [submission, related] =
    view.manyToMany.length > 0 ? takeRelated(fields, seen) : [seen, undefined]
  const takesFiles = fields.some(({ valueType }) => valueType === 'file')
  const uploads = takesFiles
    ? new Uploads(view, fields, submission, {
        earlier: stored,
        record,
        waiting: new WaitingFiles(ctx, view),
      })
    : null
  const operation = found
    ? updateOf(form, submission, found, precondition)
    : createOf(form, submission)
  let saved: Written
  let isChanged: boolean
  try {
    const plan = submission.rows?.size
      ? await planRows(ctx, site, view, submission.rows, record)
      : null
    const validate = () => operation.validate(uploads)
    const values = plan ? await checkedWith(plan, validate) : await validate()
    restored?.keepExact(submission, values)
    isChanged = (await operation.changes(values, related)) || (plan?.changes.length ?? 0) > 0
    const creates = operation.createsRecord || plan?.changes.some(({ kind }) => kind === 'create')
    const keyOfSaved = ({ key }: Written) => key
    const write = (options: ReturnType<typeof view.callOptions>) => {
      restored?.noteIn(options.origin)
      const writeOnce = (own: typeof options) =>
        operation.write(values, { ...own, files: uploads?.names, related })
      return once && creates ? once.write(options, writeOnce, keyOfSaved) : writeOnce(options)
    }
    saved = plan
      ? await saveWithRows(ctx, site, view, plan, write, keyOfSaved)
      : await write(view.callOptions(ctx))
  } catch (error) {
    if (!(stored && error instanceof RowChanged)) await uploads?.drop()
    throw error
  }
  const { item, key } = saved
  if (key) await uploads?.belongTo(key)
  if (record) {
    await uploads?.dropReplaced(record)
    /* Hooks of the model may have changed values that were not submitted, so the whole items are compared. */
    isChanged ||= item !== undefined && !isSameItem(view.resource, itemOf(view, record), item)
  }
  return { item, isChanged }
}

function createOf({ view, hiddenValues }: FormPage, submission: Submission): Operation {
  const values = { ...submission.values, ...hiddenValues }
  const meta = { operation: 'create' }
  return {
    createsRecord: true,
    validate: (uploads) =>
      validateSubmission(view.resource.createBody, { ...submission, values }, uploads, meta),
    changes: async () => true,
    write: async (attributes, options) => {
      const item = await view.crud.create(attributes, options)
      return { item, key: (item && keyOf(item)) ?? undefined }
    },
  }
}

function updateOf(
  form: FormPage,
  submission: Submission,
  { key, record }: FoundRecord,
  precondition?: Precondition
): Operation {
  const { view, fields } = form
  return {
    createsRecord: false,
    async validate(uploads) {
      const whole = {
        ...submission,
        values: { ...keyIn(view, record), ...form.required(record), ...submission.values },
        errors: touchedErrors(fields, submission, record),
      }
      const before = valuesBefore(view, record, untouchedIn(fields, submission, record))
      const meta = { operation: 'update', key }
      const { updateBody } = view.resource
      const values = await validateSubmission(updateBody, whole, uploads, meta, { record: before })
      keepUntouched(fields, submission, record, values)
      form.keepRequired(record, values)
      return values
    },
    changes: async (values, related) =>
      (await form.changes(record, submission, values)) ||
      (await changesRelated(fields, related, record)),
    async write(values, options) {
      const written = { ...values, ...internalValues(view) }
      let item: Item | undefined
      await view.crud.update(key, written, {
        ...options,
        precondition: (locked) => {
          precondition?.(locked, values)
          form.keepRequired(locked, written)
        },
        written: (updated) => (item = updated),
      })
      return { item, key }
    },
  }
}
