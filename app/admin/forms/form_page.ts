import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { noteKey } from '#crud/operations/item_keys'
import { Reader } from '#crud/sql/reader'
import { versionOf } from '#crud/resource/version'
import type { Item } from '#crud/types'
import type { AdminSite } from '../admin_site.js'
import { historyLink } from '../events/pages/history_url.js'
import { inSentence } from '../text/in_sentence.js'
import { cellsOf, cutText, isInvisible } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { versionField } from './conflict.js'
import { fieldViews } from './fields/field_view.js'
import type { FormField } from './fields/form_field.js'
import type { FormFailure } from './submission/form_failure.js'
import { formFields, type FormMode } from './fields/form_fields.js'
import type { Submission } from './submission/submission.js'
import { storedTexts } from './submission/untouched.js'

const LONGEST_TITLE = 120

/**
 * What a form page shows beside the fields of the schema.
 */
export interface FormState {
  /** The record of an update */
  record?: LucidRow
  /** What was typed */
  submission?: Submission
  failure?: FormFailure
  /** The version of the record that the form goes on with. Default: the record's */
  version?: string
  /** What the view's panel is to show of what was sent to it */
  panelState?: unknown
}

/**
 * The pages with the forms: a blank one, one for a record, and either with what was wrong. [S38, S47, S49]
 */
export class FormPage {
  constructor(
    protected readonly site: AdminSite,
    readonly view: ModelView,
    readonly mode: FormMode
  ) {}

  get fields(): FormField[] {
    return formFields(this.site, this.view, this.mode)
  }

  /**
   * Renders the page; for htmx the part of it that changes.
   */
  async render(ctx: HttpContext, state: FormState = {}): Promise<string> {
    const data = await this.data(ctx, state)
    const own = this.view.templates[this.mode]
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') !== undefined && own === undefined) {
      return await this.site.render(ctx, 'partials/form_content', data)
    }
    const panel = await this.#panel(ctx, state)
    return await this.site.renderPage(ctx, `pages/${this.mode}`, { ...data, panel }, own)
  }

  /**
   * What the templates know. The names in snake case are the specification's.
   */
  async data(ctx: HttpContext, { record, submission, failure, version }: FormState = {}) {
    const { fields, view, mode } = this
    const stored = record && storedTexts(fields, record)
    const shown = this.#shown(stored, submission)
    const errors = failure?.fieldErrors ?? {}
    const cleared = submission?.cleared ?? new Set<string>()
    const views = await fieldViews(ctx, this.site, view, fields, {
      shown,
      stored,
      errors,
      cleared,
    })
    const key = record && view.resource.key.of(record)
    const path = key && view.resource.key.toPath(key)
    const isListed = await view.isVisibleTo(ctx)
    return {
      view,
      mode,
      fields: views,
      error: failure?.error,
      field_errors: errors,
      field_values: Object.fromEntries(
        Object.entries(shown).map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]])
      ),
      action: view.url(path === undefined ? '/form_create' : `/form_update${path}`),
      history: key ? historyLink(ctx, view, key) : null,
      back: isListed ? view.url('/') : this.site.url('/'),
      isListed,
      takesFiles: fields.some(({ holds }) => holds === 'file'),
      isUnsaved: submission !== undefined,
      title: record
        ? this.#title(record)
        : this.site.text('form.new', { one: inSentence(view.singular) }),
      version: record && {
        name: versionField,
        value: version ?? versionOf(view.resource, record),
      },
      facts: record ? this.#facts(record) : [],
      remove: path !== undefined &&
        (await may(ctx, view, 'delete', record)) && {
          url: view.url('/form_bulk_delete'),
          id: path.slice(1),
        },
    }
  }

  async #panel(ctx: HttpContext, { record, panelState }: FormState) {
    const { panel } = this.view.options
    if (!panel || !record) return null
    const { template, sheet } = panel
    return { template, sheet, data: await panel.data(ctx, record, panelState) }
  }

  /** What was typed, else what is stored, else what a blank form begins with. [S47] */
  #shown(stored: Record<string, string[]> | undefined, submission: Submission | undefined) {
    const shown: Record<string, string[]> = {}
    for (const field of this.fields) {
      const begin = this.mode === 'create' && !submission ? [...field.initial] : []
      const typed = field.secret ? undefined : submission?.shown[field.name]
      shown[field.name] = typed ?? stored?.[field.name] ?? begin
    }
    return shown
  }

  #title(record: LucidRow): string {
    const title = cutText(this.view.titleOf(itemOf(this.view, record)), LONGEST_TITLE)
    if (!isInvisible(title)) return title
    return `${this.view.singular} ${this.view.resource.key.of(record).join(', ')}`
  }

  /** What answers show of the record and the form does not have. */
  #facts(record: LucidRow) {
    const names = new Set(this.fields.filter(({ hidden }) => !hidden).map(({ name }) => name))
    const item = itemOf(this.view, record)
    return this.view.resource.fields
      .filter(({ wire }) => !names.has(wire))
      .map((column) => {
        const options = {
          isGrouped: false,
          text: (key: string, data?: Record<string, unknown>) => this.site.text(key, data),
        }
        const [cell] = cellsOf(column, [item[column.wire]], options)
        return { label: this.view.labelOf(column.wire), ...cell }
      })
  }
}

function itemOf(view: ModelView, record: LucidRow): Item {
  const item = new Reader(view.resource).toItem(record)
  return noteKey(item, view.resource.key.of(record))
}
