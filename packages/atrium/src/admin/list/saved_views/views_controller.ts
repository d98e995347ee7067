import type { HttpContext } from '@adonisjs/core/http'
import { NotAllowed, PageNotFound, WithheldPage } from '../../http/errors.js'
import { EventType } from '../../events/event_integration.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import type AdminSavedView from '../../models/admin_saved_view.js'
import type { ModelView } from '../../views/model_view.js'
import { chosenNames } from '../columns/column_choices.js'
import type { ListParameters } from '../list_parameters.js'
import { readList, type ListSite } from '../read_list.js'
import { listSettings, preferenceNames } from './list_settings.js'
import { InvalidView, LONGEST_VIEW_NAME } from './saved_views.js'
import { showPanel, mayChange } from './views_bar.js'
import { guardOf } from '../../identity/admin_guard.js'
import { redirectWithMessage } from '../../http/redirect.js'

interface ViewForm {
  /** Null for a new view */
  saved: AdminSavedView | null
  name: string
  isShared: boolean
  isDefault: boolean
  /** Query of a new view; null for an existing one */
  query: string | null
  back: string
  error?: string
}

/**
 * Saves, changes and deletes the saved views of a list. All users who can see the model can save and share views.
 * Only the owner or a superuser can change or delete a view. A user can use any visible view as the default.
 */
export class ViewsController {
  constructor(
    private readonly site: ListSite,
    private readonly view: ModelView
  ) {}

  /** Renders the form of a new view. */
  async create(ctx: HttpContext): Promise<string> {
    const parameters = await readList(ctx, this.site, this.view, ctx.request.parsedUrl.query ?? '')
    return await this.#form(ctx, {
      saved: null,
      name: '',
      isShared: false,
      isDefault: false,
      query: parameters.query,
      back: parameters.url,
    })
  }

  async store(ctx: HttpContext): Promise<unknown> {
    const parameters = await readList(
      ctx,
      this.site,
      this.view,
      singleText(sentTexts(ctx), 'query') ?? ''
    )
    const { name, isShared, isDefault } = formOf(ctx)
    const { owner } = guardOf(ctx).signedInOrFail()
    const values = { name, isShared, query: this.#queryOf(parameters) }
    try {
      const options = this.view.callOptions(ctx)
      const made = await this.site.savedViews.create(this.view.name, owner.id, values, options)
      if (isDefault) await this.#setDefault(ctx, made.id)
      return await this.#done(ctx, 'saved', `/?view=${made.id}`)
    } catch (error) {
      const { query, url: back } = parameters
      const form = { saved: null, name, isShared, isDefault, query, back }
      return await this.#refuse(ctx, form, error)
    }
  }

  /** Renders the form of an existing view. */
  async edit(ctx: HttpContext): Promise<string> {
    const saved = await this.#find(ctx)
    const { defaultId } = await listSettings(ctx, this.site, this.view)
    return await this.#form(ctx, {
      ...this.#asStored(saved),
      isDefault: saved.id === defaultId,
    })
  }

  /** Saves the form of a view. Users who cannot change the view can only set it as their default. */
  async update(ctx: HttpContext): Promise<unknown> {
    const saved = await this.#find(ctx)
    const texts = sentTexts(ctx)
    const { name, isShared, isDefault } = formOf(ctx)
    if (texts.has('name')) {
      if (!mayChange(ctx, saved)) throw new NotAllowed()
      try {
        const options = this.view.callOptions(ctx)
        await this.site.savedViews.change(saved, { name, isShared }, options)
      } catch (error) {
        const form = { ...this.#asStored(saved), name, isShared, isDefault }
        return await this.#refuse(ctx, form, error)
      }
    }
    const { defaultId } = await listSettings(ctx, this.site, this.view)
    if (isDefault) await this.#setDefault(ctx, saved.id)
    else if (defaultId === saved.id) await this.#setDefault(ctx, null)
    return await this.#done(ctx, 'changedDone', `/?view=${saved.id}`)
  }

  /** Replaces the query of a view with the query of the list. */
  async updateQuery(ctx: HttpContext): Promise<unknown> {
    const saved = await this.#find(ctx)
    if (!mayChange(ctx, saved)) throw new NotAllowed()
    const parameters = await readList(
      ctx,
      this.site,
      this.view,
      singleText(sentTexts(ctx), 'query') ?? ''
    )
    try {
      const query = this.#queryOf(parameters)
      await this.site.savedViews.change(saved, { query }, this.view.callOptions(ctx))
    } catch (error) {
      return await this.#refuse(ctx, { ...this.#asStored(saved), back: parameters.url }, error)
    }
    return await this.#done(ctx, 'updated', `/?view=${saved.id}`)
  }

  /** Renders the confirmation page of `delete`. */
  async askToDelete(ctx: HttpContext): Promise<string> {
    const saved = await this.#find(ctx)
    if (!mayChange(ctx, saved)) throw new NotAllowed()
    return await this.site.render(ctx, 'pages/confirm', {
      heading: this.site.text('list.views.ask', { name: saved.name }),
      note: this.site.text(saved.shared ? 'list.views.askNoteShared' : 'list.views.askNote'),
      action: this.view.url(`/views/${saved.id}/delete`),
      label: this.site.text('list.views.delete'),
      isDestructive: true,
      back: this.view.url(`/?view=${saved.id}`),
    })
  }

  async delete(ctx: HttpContext): Promise<unknown> {
    const saved = await this.#find(ctx)
    if (!mayChange(ctx, saved)) throw new NotAllowed()
    const { defaultId } = await listSettings(ctx, this.site, this.view)
    await this.site.savedViews.remove(saved, this.view.callOptions(ctx))
    if (defaultId === saved.id) await this.#setDefault(ctx, null)
    return await this.#done(ctx, 'deleted', '/?view=all')
  }

  /**
   * @throws PageNotFound  if the view does not exist
   * @throws WithheldPage  if the viewer can't see the view
   */
  async #find(ctx: HttpContext): Promise<AdminSavedView> {
    const saved = await this.site.savedViews.find(this.view.name, String(ctx.params.view))
    if (!saved) throw new PageNotFound()
    if (!saved.shared && !mayChange(ctx, saved)) throw new WithheldPage()
    return saved
  }

  /** Returns the query with the viewer's chosen columns, so that other users of the view see the same columns. */
  #queryOf(parameters: ListParameters): string {
    const { shownColumns } = parameters
    if (shownColumns === null) return parameters.wholeQuery
    const columns = chosenNames(this.view, shownColumns)
    return parameters.with({ columns }).wholeQuery
  }

  async #setDefault(ctx: HttpContext, id: number | null) {
    const { owner } = guardOf(ctx).signedInOrFail()
    await this.site.preferences.write(owner.id, { [preferenceNames(this.view.name).view]: id })
    this.site.logEvent(ctx, {
      type: EventType.VIEW,
      resourceType: this.view.name,
      details: { page: 'default_view' },
    })
  }

  #asStored(saved: AdminSavedView): ViewForm {
    return {
      saved,
      name: saved.name,
      isShared: saved.shared,
      isDefault: false,
      query: null,
      back: this.view.url(`/?view=${saved.id}`),
    }
  }

  async #refuse(ctx: HttpContext, form: ViewForm, error: unknown): Promise<string> {
    if (!(error instanceof InvalidView)) throw error
    ctx.response.status(422)
    return await this.#form(ctx, { ...form, error: error.key })
  }

  async #form(ctx: HttpContext, { saved, error, ...form }: ViewForm): Promise<string> {
    const own = saved ? { name: saved.name, may: mayChange(ctx, saved) } : null
    return await showPanel(ctx, this.site, {
      title: own
        ? this.site.text('list.views.edit', { name: own.name })
        : this.site.text('list.views.new'),
      content: 'admin/partials/view_form',
      view: this.view,
      ...form,
      mayChange: own?.may ?? true,
      mostCharacters: LONGEST_VIEW_NAME,
      error: error
        ? this.site.text(`list.views.errors.${error}`, { most: LONGEST_VIEW_NAME })
        : null,
      action: this.view.url(saved ? `/views/${saved.id}` : '/views'),
      remove: saved && own?.may ? this.view.url(`/views/${saved.id}/delete`) : null,
    })
  }

  async #done(ctx: HttpContext, what: string, path: string) {
    await redirectWithMessage(ctx, this.view.url(path), {
      kind: 'success',
      text: this.site.text(`list.views.${what}`),
    })
  }
}

function formOf(ctx: HttpContext) {
  const texts = sentTexts(ctx)
  return {
    name: singleText(texts, 'name') ?? '',
    isShared: texts.has('shared'),
    isDefault: texts.has('default'),
  }
}
