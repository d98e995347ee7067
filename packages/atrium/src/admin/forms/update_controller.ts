import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { WithDatabase } from '../config/database_config.js'
import { sentTexts } from '../http/form_texts.js'
import { flashToNextPage } from '../http/flash.js'
import { parameterIn } from '../http/list_query.js'
import type { ListParameters } from '../list/list_parameters.js'
import { openedList } from '../list/read_list.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { showConflict, withChoices } from './merge/conflict_page.js'
import {
  failureOf,
  setFailureStatus,
  type FormFailure,
  isMissing,
} from './submission/form_failure.js'
import {
  findRecord,
  recordNotFound,
  type FoundRecord,
  NEW,
  nextField,
  TAKE,
  versionField,
  type SentVersion,
} from './form_record.js'
import { FormPage, type FormSite } from './form_page.js'
import { goBack, recordMessage } from './form_response.js'
import { withStoredNotes, otherEditors } from './merge/other_editors.js'
import { isConflict, saveMerged, type Conflict, type FormAttempt } from './merge/merging_save.js'
import { openedField } from './merge/opened_record.js'
import { neighbourRecords } from './neighbour_records.js'
import { DRAFT } from './drafts/drafts.js'
import { deleteDraft, restoreTexts } from './drafts/save_draft.js'
import { goToNew } from './new_reference.js'
import { RESTORE } from './prefill/prefill_urls.js'
import { restoredIfThere, restoredOf, type RestoredFields } from './prefill/restored_fields.js'
import type { SavedForm } from './save_form.js'
import { SentOnce } from './submission/sent_once.js'
import { NotAllowed } from '../http/errors.js'
import { redirectPage } from '../http/redirect.js'

/** Shows the update page and handles its form. */
export class UpdateController {
  readonly #form: FormPage

  constructor(
    protected readonly site: FormSite & WithDatabase,
    protected readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'update')
  }

  /**
   * Renders the form with the values of the record, of a draft, or of an earlier version.
   *
   * @throws NotAllowed    if the user is not allowed to update the record
   * @throws PageNotFound  if the record or the earlier version does not exist
   */
  async page(ctx: HttpContext): Promise<unknown> {
    const found = await findRecord(ctx, this.view)
    if (!found) return this.#notFound(ctx)
    if (!(await may(ctx, this.view, 'update', found.record))) throw new NotAllowed()
    const form = await this.#form.of(ctx, found.record)
    const storedNotes = await restoreTexts(ctx, this.site, form)
    if (storedNotes) {
      const submission = await form.read(ctx)
      const restored = await this.#restored(ctx, form, found, restoredIfThere)
      const sent = sentVersion(ctx)
      return await form.render(ctx, {
        ...found,
        submission,
        restored,
        storedNotes,
        sent,
      })
    }
    const restored = await this.#restored(ctx, form, found, restoredOf)
    return await form.render(ctx, { ...found, restored })
  }

  /** Updates the record, or renders the form again with errors and the submitted values. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const found = await findRecord(ctx, this.view)
    if (!found) return this.#notFound(ctx)
    const attempt = await this.#attempt(ctx, found)
    const { form, given, submission } = attempt
    if (sentTexts(ctx).has(NEW)) {
      const failure = await goToNew(ctx, this.site, this.view, 'update')
      if (!failure) return
      ctx.response.status(400)
      return await this.#again(ctx, attempt, failure)
    }
    const refusal = form.refusalOf(ctx, found.record)
    if (refusal) {
      ctx.response.status(403)
      return await this.#again(ctx, attempt, refusal)
    }
    if (submission.rerenders) return await this.#again(ctx, attempt)
    if (!submission.supplied && given.size === 0) {
      const failure = { error: this.site.text('form.unchanged'), fieldErrors: {} }
      ctx.response.status(400)
      return await this.#again(ctx, attempt, failure)
    }
    const list = await openedList(ctx, this.site, this.view)
    /* Determined before saving, as the update may change the position of the record in the list. */
    const next = goesOn(ctx) && list ? await this.#next(ctx, list, found.key) : null
    let outcome: SavedForm | Conflict
    try {
      const save = () => saveMerged(ctx, this.#form, attempt)
      const saved = attempt.once ? await attempt.once.run(save) : { result: await save() }
      outcome = 'key' in saved ? { item: undefined, isChanged: true } : saved.result
    } catch (error) {
      if (isMissing(error)) return this.#notFound(ctx)
      const failure = failureOf(this.site, attempt.form.fields, error)
      setFailureStatus(ctx, error, 400)
      return await this.#again(ctx, attempt, failure)
    }
    if (isConflict(outcome)) return await showConflict(ctx, this.site, attempt, outcome)
    if (parameterIn(ctx, DRAFT) !== null) await deleteDraft(ctx, this.site)
    await flashToNextPage(ctx, await this.#message(ctx, attempt, outcome))
    if (next) redirectPage(ctx, next)
    else await goBack(this.site, this.view, ctx, list)
  }

  /**
   * Returns the submitted form. Fields for which the user chose the record's value on the conflict page have that value.
   */
  async #attempt(ctx: HttpContext, found: FoundRecord): Promise<FormAttempt> {
    const form = await this.#form.of(ctx, found.record)
    const submission = await form.read(ctx)
    const choices = isOfConflictPage(ctx)
      ? await withChoices(ctx, form, found.record, submission)
      : { submission, given: new Set<string>() }
    return {
      ...found,
      form,
      ...choices,
      sent: sentVersion(ctx),
      opened: null,
      theirs: [],
      restored: await this.#restored(ctx, form, found, restoredIfThere),
      /* Only rows can be created twice. */
      once: submission.rows?.size ? await SentOnce.of(ctx, this.view) : null,
    }
  }

  /** Returns the earlier version of the record that the URL names; null if it names none. */
  async #restored(
    ctx: HttpContext,
    form: FormPage,
    found: FoundRecord,
    find: typeof restoredOf | typeof restoredIfThere
  ): Promise<RestoredFields | null> {
    return parameterIn(ctx, RESTORE) === null ? null : await find(ctx, this.site, form, found)
  }

  async #message(ctx: HttpContext, attempt: FormAttempt, { item, isChanged }: SavedForm) {
    const { key, record, opened, theirs } = attempt
    const text = isChanged ? 'form.updated' : 'form.same'
    const title = item && this.view.titleOf(item, key)
    const message = await recordMessage(ctx, this.site, this.view, text, { key, title })
    if (!opened || theirs.length === 0) return message
    const editors = await otherEditors(ctx, this.site, this.view, record, opened.at)
    return withStoredNotes(this.site, this.view, message, theirs, editors)
  }

  async #next(ctx: HttpContext, list: ListParameters, key: KeyValue): Promise<string | null> {
    const { next } = await neighbourRecords(ctx, this.view, list, key)
    return next
  }

  /** Responds to a submission without an id. */
  async withoutId({ response }: HttpContext): Promise<unknown> {
    response.status(422)
    return { message: this.site.text('form.noId') }
  }

  async #again(
    ctx: HttpContext,
    { form, record, submission, sent, restored }: FormAttempt,
    failure?: FormFailure
  ): Promise<unknown> {
    return await form.render(ctx, { record, submission, failure, sent, restored })
  }

  #notFound(ctx: HttpContext) {
    return recordNotFound(ctx, this.site, this.view)
  }
}

/** Returns true if the button *Save and next* was pressed. */
function goesOn(ctx: HttpContext): boolean {
  return sentTexts(ctx).has(nextField)
}

function isOfConflictPage(ctx: HttpContext): boolean {
  return sentTexts(ctx)
    .keys()
    .some((name) => name.startsWith(TAKE))
}

function sentVersion(ctx: HttpContext): SentVersion | undefined {
  const texts = sentTexts(ctx)
  const version = texts.get(versionField)?.[0] || undefined
  return version === undefined ? undefined : { version, sealed: texts.get(openedField)?.[0] }
}
