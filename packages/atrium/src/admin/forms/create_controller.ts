import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import { PageNotFound } from '../http/errors.js'
import { RESTORE, FROM } from './prefill/prefill_urls.js'
import { parameterIn, LIST, PARENT } from '../http/list_query.js'
import { readKey, itemOf } from '../views/record_items.js'
import { flashToNextPage, type Flash } from '../http/flash.js'
import { sentTexts } from '../http/form_texts.js'
import { openedList } from '../list/read_list.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { recordLinks } from '../http/record_links.js'
import { failureOf, setFailureStatus } from './submission/form_failure.js'
import { FormPage, type FormSite } from './form_page.js'
import { NEW, type FormState } from './form_record.js'
import { goBack, recordMessage } from './form_response.js'
import { isInDialog, IN_DIALOG, FOR, DRAFT } from './drafts/drafts.js'
import { deleteDraft, restoreTexts } from './drafts/save_draft.js'
import { copiedRelated } from './many_to_many/many_to_many_fields.js'
import { copiedRows, copiedTexts, hasFiles } from './prefill/copied_record.js'
import { respondInDialog, goBackWithNew, goToNew } from './new_reference.js'
import { restoredIfThere, restoredOf, type RestoredFields } from './prefill/restored_fields.js'
import { saveForm } from './save_form.js'
import { SentOnce } from './submission/sent_once.js'
import { redirectPage } from '../http/redirect.js'
import type { FormField } from './fields/form_field.js'
import { Widget } from '../views/widget.js'
import type { WithDatabase } from '../config/database_config.js'

/* Parameters of the create page's URL that are not names of fields */
const TAKEN = new Set([FROM, LIST, PARENT, DRAFT, FOR, IN_DIALOG, RESTORE])

/**
 * Returns the texts that the URL of a create page contains for fields: `create_page?distributor_id=3`. Hidden fields
 * are ignored, and so are all fields of users and roles, as a link must not preset permissions.
 *
 * @param fields  fields of the form that the signed-in user can edit
 */
function givenTexts(
  { request }: HttpContext,
  { adminModel }: ModelView,
  fields: readonly FormField[]
): Record<string, string[]> {
  if (adminModel) return {}
  const query = new URLSearchParams(request.parsedUrl.query ?? '')
  const shown = fields.filter(
    ({ name, hidden, valueType }) =>
      !hidden && valueType !== 'file' && query.has(name) && !TAKEN.has(name)
  )
  return Object.fromEntries(shown.map((field) => [field.name, textsOf(field, query)]))
}

/**
 * Returns the texts that a submitted form would contain. The additional inputs of a widget are not read from the URL.
 */
function textsOf({ name, widget }: FormField, query: URLSearchParams): string[] {
  const given = query.getAll(name)
  const collected = widget instanceof Widget && widget.collect?.(name, new Map([[name, given]]))
  return collected || given
}

/** Shows the create page and handles its form. */
export class CreateController {
  readonly #form: FormPage

  constructor(
    protected readonly site: FormSite & WithDatabase,
    protected readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'create')
  }

  /**
   * Renders the form: blank, or filled in with a draft, a deleted record to restore, a record to copy, or values in the
   * URL.
   *
   * @throws PageNotFound  if the record to copy or to restore does not exist or is not visible to the user
   */
  async page(ctx: HttpContext): Promise<unknown> {
    const { view } = this
    const form = await this.#form.of(ctx)
    const storedNotes = await restoreTexts(ctx, this.site, form)
    if (storedNotes) {
      const submission = await form.read(ctx)
      const restored = await this.#restored(ctx, form, restoredIfThere)
      return await form.render(ctx, { submission, restored, storedNotes })
    }
    const restored = await this.#restored(ctx, form, restoredOf)
    const from = restored ? null : parameterIn(ctx, FROM)
    const copied = from === null || view.adminModel ? {} : await this.#copied(ctx, form, from)
    const given = { ...copied.given, ...givenTexts(ctx, view, form.fields) }
    return await form.render(ctx, { ...copied, given, restored })
  }

  /** Creates the record, or renders the form again with errors and the submitted values. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#form.of(ctx)
    const submission = await form.read(ctx)
    if (sentTexts(ctx).has(NEW)) {
      const failure = await goToNew(ctx, this.site, this.view, 'create')
      if (!failure) return
      ctx.response.status(422)
      return await form.render(ctx, { submission, failure })
    }
    const refusal = form.refusalOf(ctx)
    if (refusal) {
      ctx.response.status(403)
      return await form.render(ctx, { submission, failure: refusal })
    }
    const restored = await this.#restored(ctx, form, restoredIfThere)
    if (submission.rerenders) return await form.render(ctx, { submission, restored })
    let item: Item | undefined
    let sentBefore: KeyValue | undefined
    try {
      const once = await SentOnce.of(ctx, this.view)
      const save = () => saveForm(ctx, form, submission, { restored, once })
      const outcome = once ? await once.run(save) : { result: await save() }
      if ('key' in outcome) sentBefore = outcome.key
      item = 'key' in outcome ? await this.#storedItem(ctx, outcome.key) : outcome.result.item
    } catch (error) {
      const failure = failureOf(this.site, form.fields, error)
      setFailureStatus(ctx, error, 422)
      return await form.render(ctx, { submission, failure, restored })
    }
    if (parameterIn(ctx, DRAFT) !== null) await deleteDraft(ctx, this.site)
    const message = await this.#message(ctx, item)
    if (isInDialog(ctx)) return await respondInDialog(ctx, this.site, this.view, item, message.text)
    if (await goBackWithNew(ctx, this.site, this.view, item)) return
    await flashToNextPage(ctx, message)
    const next = (await this.#nextStep(ctx, item)) ?? (await this.#linkTo(ctx, sentBefore))
    if (next) return redirectPage(ctx, next)
    const list = await openedList(ctx, this.site, this.view)
    await goBack(this.site, this.view, ctx, list)
  }

  /** Returns the last state of a permanently deleted record if the URL requests to create it again, otherwise null. */
  async #restored(
    ctx: HttpContext,
    form: FormPage,
    find: typeof restoredOf | typeof restoredIfThere
  ): Promise<RestoredFields | null> {
    if (parameterIn(ctx, RESTORE) === null) return null
    const [key] = readKey(this.view, parameterIn(ctx, FROM) ?? '') ?? []
    if (!key) throw new PageNotFound()
    return await find(ctx, this.site, form, { key, record: null })
  }

  /** Returns the initial state of a form that copies a record. */
  async #copied(ctx: HttpContext, { fields }: FormPage, from: string): Promise<FormState> {
    const { site, view } = this
    const [key] = readKey(view, from) ?? []
    const options = { ...view.callOptions(ctx), deleted: 'include' as const }
    const record = key && (await view.crud.find(key, options))
    if (!record) throw new PageNotFound()
    const { rows, left, isWithoutFiles } = await copiedRows(ctx, site, view, record)
    const notes = left.map((label) => site.text('form.rowsNotCopied', { label }))
    if (isWithoutFiles || hasFiles(fields, record)) notes.push(site.text('form.filesNotCopied'))
    return {
      given: { ...copiedTexts(view, fields, record), ...(await copiedRelated(fields, record)) },
      givenRows: rows,
      storedNotes: notes.length > 0 ? notes : undefined,
    }
  }

  /** Returns the record that an earlier submission of the same form created; an empty item if the user can't see it. */
  async #storedItem(ctx: HttpContext, key: KeyValue): Promise<Item> {
    const { crud, resource } = this.view
    const id = resource.key.isComposite ? key : key[0]
    const record = await crud.find(id, this.view.callOptions(ctx))
    return record ? itemOf(this.view, record) : {}
  }

  async #linkTo(ctx: HttpContext, key: KeyValue | undefined): Promise<string | null> {
    if (!key) return null
    const linkTo = await recordLinks(ctx, this.view, [key])
    return linkTo(key)
  }

  /**
   * Returns the URL of the new record with the anchor of the panel in which the creation continues; null if no panel
   * has a next step or the user is not allowed to update the record.
   */
  async #nextStep(ctx: HttpContext, item: Item | undefined): Promise<string | null> {
    const key = item && keyOf(item)
    if (!key || !(await may(ctx, this.view, 'update'))) return null
    for (const panel of [this.view.options.panel ?? []].flat()) {
      const anchor = await panel.nextStep?.(item)
      if (anchor)
        return `${this.view.url(`/update${this.view.resource.key.toPath(key)}`)}#${anchor}`
    }
    return null
  }

  async #message(ctx: HttpContext, item: Item | undefined): Promise<Flash> {
    const { site, view } = this
    const key = item && keyOf(item)
    if (!key) return { kind: 'success', text: site.text('form.stored', { one: view.singular }) }
    return await recordMessage(ctx, site, view, 'form.created', { key, title: view.titleOf(item) })
  }
}
