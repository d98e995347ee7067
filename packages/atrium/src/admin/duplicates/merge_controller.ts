import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { isSameValue } from '#base/values/plain_json'
import { toProblem } from '#base/http/to_problem'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { UnknownKey } from '#base/errors'
import { MERGED } from '../bulk/bulk_bar.js'
import { idOfPath, readIds } from '../bulk/bulk_ids.js'
import { BulkFailure } from '../bulk/errors.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { sentTexts } from '../http/form_texts.js'
import { recordLinks } from '../http/record_links.js'
import { redirectWithMessage } from '../http/redirect.js'
import { returnPath } from '../http/site_paths.js'
import { cutText } from '../list/cell.js'
import { recordFacts } from '../record/record_facts.js'
import { inSentence } from '../text/plain_text.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'
import type { Site } from '../views/site.js'
import { MergeRefused } from './errors.js'
import { mayMerge, mergeRecords, referringViews, type Merge } from './merge_records.js'

/**
 * Page on which the user selects the record that remains and its values, before the other records are merged into it.
 */
export class MergeController {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView
  ) {}

  /** Renders the page. */
  async page(ctx: HttpContext): Promise<unknown> {
    if (!(await mayMerge(ctx, this.site, this.view))) throw new NotAllowed()
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const next = returnPath(this.site, query.get('next')) ?? this.view.url('/')
    try {
      return await this.#render(ctx, this.#keys(query.getAll('ids')), next)
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = this.site.text(error.key, error.data)
      return await redirectWithMessage(ctx, next, { kind: 'error', text })
    }
  }

  /** Merges the records, or renders the page again with the reason why that is not possible. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    if (!(await mayMerge(ctx, site, view))) throw new NotAllowed()
    const sent = sentTexts(ctx)
    const next = returnPath(site, sent.get('next')?.at(-1)) ?? view.url('/')
    const merge = this.#merge(sent)
    let target: LucidRow
    try {
      target = await mergeRecords(ctx, site, view, this.#fields(), merge)
    } catch (error) {
      if (error instanceof NotAllowed) throw error
      const { status } = toProblem(error)
      if (status >= 500) ctx.logger.error({ err: error }, `${view.name}: the merge failed`)
      ctx.response.status(status)
      const text =
        error instanceof MergeRefused
          ? site.text(error.key, error.data)
          : status >= 500
            ? site.text('merge.failed')
            : detailOf(error)
      return await this.#render(ctx, merge.keys, next, text)
    }
    const title = cutText(view.titleOf(itemOf(view, target), merge.target))
    const text = site.text('merge.done', { count: merge.keys.length, title })
    return await redirectWithMessage(ctx, next, { kind: 'success', text })
  }

  /** @throws BulkFailure  for invalid keys, or too many or too few of them */
  #keys(ids: readonly string[]): KeyValue[] {
    const keys = readIds(this.view.resource.key, ids.map(idOfPath))
    if (keys.length < MERGED.min || keys.length > MERGED.max) {
      throw new BulkFailure(422, 'merge.number', MERGED)
    }
    return keys
  }

  #merge(sent: ReadonlyMap<string, readonly string[]>): Merge {
    const keyOf = (id: string) => readIds(this.view.resource.key, [idOfPath(id)])[0]
    try {
      const ids = sent.get('ids') ?? []
      const keys = this.#keys(ids)
      const target = sent.get('target')?.at(-1) ?? ''
      if (!ids.includes(target)) throw new PageNotFound()
      const from = [...sent].flatMap(([name, values]): Array<[string, KeyValue]> =>
        name.startsWith('from.') ? [[name.slice(5), keyOf(values.at(-1)!)]] : []
      )
      const versions = sent.get('versions') ?? []
      return { keys, target: keyOf(target), from: new Map(from), versions }
    } catch (error) {
      throw error instanceof BulkFailure ? new PageNotFound() : error
    }
  }

  /** Returns the columns whose value the user can choose. */
  #fields(): Column[] {
    const { resource } = this.view
    return resource.updateBody.fields.flatMap(({ column }) =>
      column && !column.isPrimary && !column.hidden && resource.fields.includes(column)
        ? [column]
        : []
    )
  }

  async #render(
    ctx: HttpContext,
    keys: readonly KeyValue[],
    next: string,
    error: string | null = null
  ): Promise<string> {
    const { site, view } = this
    const { columns, key } = view.resource
    const records = await this.#find(ctx, keys)
    const facts = await Promise.all(
      records.map((record) => recordFacts(ctx, site, view, itemOf(view, record)))
    )
    const linkTo = await recordLinks(ctx, view, keys)
    const ids = keys.map((one) => key.toPath(one).slice(1))
    const isEmpty = (column: Column, record: LucidRow) =>
      [null, undefined, ''].includes(record.$attributes[column.attribute])
    return await site.render(ctx, 'pages/merge', {
      view,
      title: site.text('merge.title', { plural: inSentence(view.label) }),
      error,
      next,
      place: view.url('/merge'),
      records: records.map((record, index) => ({
        id: ids[index],
        version: columns.versionOf(record),
        title: cutText(view.titleOf(itemOf(view, record), keys[index])),
        note: keys[index].join(', '),
        href: linkTo(keys[index]),
      })),
      fields: this.#fields().map((column) => {
        const filled = records.findIndex((record) => !isEmpty(column, record))
        const values = facts.map((all) => all.find(({ name }) => name === column.apiName)!)
        return {
          name: column.apiName,
          label: view.labelOf(column.apiName),
          differs: records.some(
            (record) => !isSameValue(column, record.$attributes, records[0].$attributes)
          ),
          chosen: Math.max(0, filled),
          values,
        }
      }),
      referring: referringViews(site, view).map(({ label }) => label),
    })
  }

  async #find(ctx: HttpContext, keys: readonly KeyValue[]): Promise<LucidRow[]> {
    try {
      return await this.view.crud.findMany(keys, this.view.callOptions(ctx))
    } catch (error) {
      if (error instanceof UnknownKey) throw new PageNotFound()
      throw error
    }
  }
}

/** Returns the messages of the fields' errors, or the message of an error without fields. */
function detailOf(error: unknown): string {
  const { errors = [], message } = toProblem(error)
  return errors.length > 0 ? errors.map((one) => one.message).join(' ') : message
}
