import type { HttpContext } from '@adonisjs/core/http'
import { gatherWrites } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { inTransaction } from '#base/database/transaction'
import { EventType } from '../events/event_integration.js'
import { loggedInRequest } from '../events/request_event.js'
import { fieldViews } from '../forms/fields/field_view.js'
import { actionFields } from '../forms/fields/form_fields.js'
import type { FormField } from '../forms/fields/form_field.js'
import { sheetsOf } from '../forms/fields/widgets/widget_cells.js'
import { Uploads } from '../forms/files/uploads.js'
import { failureOf, setFailureStatus } from '../forms/submission/form_failure.js'
import { readSubmission, type Submission } from '../forms/submission/submission.js'
import { validateSubmission } from '../forms/submission/submitted_values.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { sentTexts } from '../http/form_texts.js'
import { findRecord, recordLinks, type FoundRecord } from '../http/record_links.js'
import { redirectWithMessage } from '../http/redirect.js'
import { returnPath } from '../http/site_paths.js'
import { cutText } from '../list/cell.js'
import { may } from '../permissions/may.js'
import type { ModelView } from '../views/model_view.js'
import { formOf, type RecordAction } from '../views/record_action.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import type { Site } from '../views/site.js'
import { actionRecords, reachedByAction } from './action_records.js'

/* Name of the parameter with the page to return to */
const NEXT = 'next'

interface Failed {
  submission: Submission
  error: string
  fieldErrors: Record<string, string>
}

/** Runs actions of a model on one record, after a page with the form or the question of the action. */
export class RecordActionController {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView
  ) {}

  /** Renders the form of the action, or its question. */
  async page(name: string, ctx: HttpContext): Promise<string> {
    const action = this.#action(name)
    const found = await this.#find(action, ctx)
    return await this.#render(ctx, action, found, this.#fields(action))
  }

  /** Runs the action, or renders its form again with errors. */
  async submit(name: string, ctx: HttpContext): Promise<unknown> {
    const action = this.#action(name)
    const found = await this.#find(action, ctx)
    const fields = this.#fields(action)
    const submission = await readSubmission(fields, ctx, 'create')
    const next = await this.#next(ctx, found.key)
    let text: string
    try {
      text = await this.#run(action, found, ctx, await this.#values(action, fields, submission))
    } catch (error) {
      const failure = failureOf(this.site, fields, error)
      setFailureStatus(ctx, error, 422)
      return await this.#render(ctx, action, found, fields, { ...failure, submission })
    }
    return await redirectWithMessage(ctx, next, { kind: 'success', text })
  }

  #action(name: string): RecordAction {
    const action = this.view.recordActions.find((one) => one.name === name)
    if (!action) throw new NotAllowed()
    return action
  }

  /**
   * Finds the record of the request.
   *
   * @throws PageNotFound  for a record that does not exist, is deleted or is not visible to the user
   * @throws NotAllowed    if the roles of the user do not allow the action on this record
   */
  async #find(action: RecordAction, ctx: HttpContext): Promise<FoundRecord> {
    const { site, view } = this
    const found = await findRecord(ctx, view)
    if (isDeletedRecord(view, found.record)) throw new PageNotFound()
    if (!(await may(ctx, view, action.needs, found.record))) throw new NotAllowed()
    const reached = await reachedByAction(ctx, site, view, action, [found.key], view.client())
    if (reached.length === 0) throw new NotAllowed()
    return found
  }

  #fields(action: RecordAction): FormField[] {
    const body = formOf(action)
    return body ? actionFields(this.view, body) : []
  }

  async #values(action: RecordAction, fields: readonly FormField[], submission: Submission) {
    const body = formOf(action)
    if (!body) return {}
    const uploads = new Uploads(this.view, [...fields], submission)
    return await validateSubmission(body, submission, uploads, { operation: action.name })
  }

  async #run(
    action: RecordAction,
    { key, record: seen }: FoundRecord,
    ctx: HttpContext,
    values: Record<string, unknown>
  ): Promise<string> {
    const { site, view } = this
    const { crud, resource } = view
    const { actor, client: outer, origin } = view.callOptions(ctx)
    origin.action = action.name
    const text = await inTransaction(outer, (client) =>
      /* All writes of the action are logged as one event. */
      gatherWrites(client, { model: resource.model, actor, origin }, async () => {
        const options = { client, actor, origin }
        const [record] = await actionRecords(ctx, site, view, action, [key], client)
        return await action.run({ record, values, crud, options, ctx })
      })
    )
    const logged = await loggedInRequest(ctx)
    /* An action without writes is logged, too. */
    if (logged.length === 0) {
      site.logEvent(ctx, {
        type: EventType.UPDATE,
        resourceType: view.name,
        resourceId: resource.key.toPath(key).slice(1),
        details: { action: action.name },
      })
    }
    if (typeof text === 'string') return text
    const title = cutText(view.titleOf(itemOf(view, seen), key))
    return site.text('record.actions.done', { label: action.label, title })
  }

  /** Returns the page that the action was opened from, otherwise the page of the record. */
  async #next(ctx: HttpContext, key: KeyValue): Promise<string> {
    const { site, view } = this
    const wanted = sentTexts(ctx).get(NEXT)?.at(-1) ?? ctx.request.qs()[NEXT]
    const linkTo = await recordLinks(ctx, view, [key])
    return returnPath(site, wanted) ?? linkTo(key) ?? view.url('/')
  }

  async #render(
    ctx: HttpContext,
    action: RecordAction,
    { key, record }: FoundRecord,
    fields: readonly FormField[],
    failed?: Failed
  ): Promise<string> {
    const { site, view } = this
    const title = cutText(view.titleOf(itemOf(view, record), key))
    return await site.render(ctx, 'pages/record_action', {
      view,
      action,
      title: action.label,
      heading: site.text('record.actions.heading', { label: action.label, title }),
      question: typeof action.confirm === 'string' ? action.confirm : null,
      error: failed?.error ?? null,
      fields: await fieldViews(ctx, site, view, fields, {
        shown: failed?.submission.shown ?? {},
        stored: undefined,
        errors: failed?.fieldErrors ?? {},
        cleared: new Set(),
      }),
      sheets: sheetsOf(fields),
      place: view.url(`/record_action/${action.name}${view.resource.key.toPath(key)}`),
      next: await this.#next(ctx, key),
    })
  }
}
