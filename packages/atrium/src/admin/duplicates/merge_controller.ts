import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { isSameValue } from '#base/values/to_api'
import { toProblem } from '#base/http/send_problem'
import { identityOf, type KeyValue } from '#base/columns/key'
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
import {
  MergeRefused,
  isEmptyField,
  mergeFields,
  mayMerge,
  mergeRecords,
  referringViews,
  type Merge,
} from './merge_records.js'

type Sent = ReadonlyMap<string, readonly string[]>

/** URLs of the pages before and after a merge. */
interface Way {
  /** Page that the user came from */
  next: string
  /** Position of the group among the duplicates on the page `next`; null for records selected in a list */
  group: number | null
  /** URLs of the next group: `following` after this one is merged and no longer counts, `skip` without merging it */
  following: string | null
  skip: string | null
}

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
    const way = this.#way((name) => query.get(name))
    const { next } = way
    try {
      /* The records of all pages are more than the ones whose keys the list sends. */
      const ids = query.has('all') ? [] : query.getAll('ids')
      return await this.#render(ctx, this.#keys(ids), way)
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
    const way = this.#way((name) => sent.get(name)?.at(-1))
    const shown = this.#shown(sent)
    let merge: Merge
    let target: LucidRow
    try {
      merge = this.#merge(sent, shown)
      target = await mergeRecords(ctx, site, view, mergeFields(view), merge)
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
      return await this.#render(ctx, shown, way, text)
    }
    const title = cutText(view.titleOf(itemOf(view, target), merge.target))
    const text = site.text('merge.done', { count: merge.keys.length, title })
    const url = sent.get('then')?.at(-1) === 'next' ? (way.following ?? way.next) : way.next
    return await redirectWithMessage(ctx, url, { kind: 'success', text })
  }

  /**
   * Parses ids to keys.
   *
   * @throws BulkFailure  for invalid keys, or too many or too few of them
   */
  #keys(ids: readonly string[]): KeyValue[] {
    const keys = readIds(this.view.resource.key, ids.map(idOfPath))
    if (keys.length < MERGED.min || keys.length > MERGED.max) {
      throw new BulkFailure(422, 'merge.number', MERGED)
    }
    return keys
  }

  /**
   * Returns the keys of all records of the page, merged or not.
   *
   * @throws PageNotFound  for invalid keys
   */
  #shown(sent: Sent): KeyValue[] {
    try {
      return this.#keys(sent.get('records') ?? sent.get('ids') ?? [])
    } catch (error) {
      throw error instanceof BulkFailure ? new PageNotFound() : error
    }
  }

  /**
   * Returns the merge that the user has chosen.
   *
   * @param shown  keys of the records of the page, to which the versions belong
   * @throws MergeRefused  for a choice that cannot be merged
   * @throws PageNotFound  for invalid keys
   */
  #merge(sent: Sent, shown: readonly KeyValue[]): Merge {
    const keyOf = (id: string) => readIds(this.view.resource.key, [idOfPath(id)])[0]
    try {
      const ids = [...new Set(sent.get('ids'))]
      if (ids.length < MERGED.min) throw new MergeRefused(422, 'merge.few')
      const keys = this.#keys(ids)
      const target = sent.get('target')?.at(-1) ?? ''
      if (!ids.includes(target)) throw new MergeRefused(422, 'merge.targetLeftOut')
      const from = [...sent].flatMap(([name, values]): Array<[string, KeyValue]> =>
        name.startsWith('from.') ? [[name.slice(5), keyOf(values.at(-1)!)]] : []
      )
      const all = sent.get('versions') ?? []
      const versions = new Map(shown.map((key, index) => [identityOf(key), all[index]]))
      return {
        keys,
        target: keyOf(target),
        from: new Map(from),
        versions: keys.map((key) => versions.get(identityOf(key)) ?? ''),
      }
    } catch (error) {
      throw error instanceof BulkFailure ? new PageNotFound() : error
    }
  }

  /** Returns where the user came from, and the group of duplicates that is merged. */
  #way(valueOf: (name: string) => string | null | undefined): Way {
    const next = returnPath(this.site, valueOf('next')) ?? this.view.url('/')
    const group = Number(valueOf('group') || Number.NaN)
    const isGroup = Number.isSafeInteger(group) && next.includes('?')
    return {
      next,
      group: isGroup ? group : null,
      following: isGroup ? `${next}&group=${group}` : null,
      skip: isGroup ? `${next}&group=${group + 1}` : null,
    }
  }

  async #render(
    ctx: HttpContext,
    keys: readonly KeyValue[],
    way: Way,
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
    return await site.render(ctx, 'pages/merge', {
      view,
      title: site.text('merge.title', { plural: inSentence(view.label) }),
      error,
      ...way,
      place: view.url('/merge'),
      records: records.map((record, index) => ({
        id: ids[index],
        version: columns.versionOf(record),
        title: cutText(view.titleOf(itemOf(view, record), keys[index])),
        note: keys[index].join(', '),
        href: linkTo(keys[index]),
      })),
      fields: mergeFields(view).map((column) => {
        const filled = records.findIndex((record) => !isEmptyField(column, record))
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
