import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { identityOf, type KeyValue } from '#base/columns/key'
import { UnknownKey } from '#base/errors'
import { writeJson } from '#base/values/json'
import { COMPARED } from '../bulk/bulk_bar.js'
import { bulkFormInQuery } from '../bulk/bulk_form.js'
import { idOfPath, readIds } from '../bulk/bulk_ids.js'
import { BulkFailure } from '../bulk/errors.js'
import { PageNotFound } from '../http/errors.js'
import { recordLinks } from '../http/record_links.js'
import { redirectWithMessage } from '../http/redirect.js'
import { cutText } from '../list/cell.js'
import { attachedFacts, recordFacts, type RecordFact } from '../record/record_facts.js'
import { inSentence } from '../text/plain_text.js'
import type { ModelView } from '../views/model_view.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import type { Site } from '../views/site.js'
import { ONLY_DIFFERENCES, comparedFields, type ComparedColumn } from './compared_fields.js'

/** The page that shows selected records of a model side by side. */
export class CompareController {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView
  ) {}

  /**
   * Shows the records whose keys are in the query, as the list's selection bar sends them. If they are not two to five
   * records, it redirects to the list with a message.
   *
   * @throws PageNotFound  if a record does not exist or is not visible to the user
   * @throws Problem 403   if the policy does not allow reading one of them
   */
  async page(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const form = await bulkFormInQuery(ctx, site, view)
    try {
      const keys = form.all ? [] : readIds(view.resource.key, form.ids.map(idOfPath))
      if (keys.length < COMPARED.min || keys.length > COMPARED.max) {
        throw new BulkFailure(422, 'compare.number', COMPARED)
      }
      return await this.#show(ctx, keys, form.next)
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = site.text(error.key, error.data)
      return await redirectWithMessage(ctx, form.next, { kind: 'error', text })
    }
  }

  async #show(ctx: HttpContext, keys: readonly KeyValue[], next: string): Promise<string> {
    const { site, view } = this
    const records = await this.#find(ctx, keys)
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const onlyDifferences = query.get(ONLY_DIFFERENCES) === '1'
    const fields = comparedFields(await this.#facts(ctx, records))
    return await site.render(ctx, 'pages/compare', {
      view,
      title: site.text('compare.title', { plural: inSentence(view.label) }),
      back: { url: next, label: view.label },
      columns: await this.#columns(ctx, keys, records, (ids) =>
        this.#url(ids, next, onlyDifferences)
      ),
      fields: onlyDifferences ? fields.filter(({ differs }) => differs) : fields,
      count: fields.length,
      differing: fields.filter(({ differs }) => differs).length,
      toggle: this.#url(this.#idsOf(keys), next, !onlyDifferences),
      onlyDifferences,
    })
  }

  /** Returns the records in the order of their keys. */
  async #find(ctx: HttpContext, keys: readonly KeyValue[]): Promise<LucidRow[]> {
    const { crud, resource } = this.view
    let found: LucidRow[]
    try {
      found = await crud.findMany(keys, { ...this.view.callOptions(ctx), deleted: 'include' })
    } catch (error) {
      if (error instanceof UnknownKey) throw new PageNotFound()
      throw error
    }
    const byKey = new Map(found.map((record) => [identityOf(resource.key.of(record)), record]))
    return keys.map((key) => byKey.get(identityOf(key))!)
  }

  async #facts(ctx: HttpContext, records: readonly LucidRow[]) {
    const { site, view } = this
    return await Promise.all(
      records.map(async (record) => {
        const item = itemOf(view, record)
        const facts = await recordFacts(ctx, site, view, item)
        const attached = await attachedFacts(ctx, site, view, record)
        return [
          ...facts.map((fact) => ({ ...fact, id: this.#idOf(fact, item[fact.name]) })),
          ...attached.map((fact) => ({ ...fact, id: fact.markup })),
        ]
      })
    )
  }

  /**
   * Returns a text that is the same for equal facts, and for datetimes that look the same: lists show no seconds. Keys
   * always differ, so all have the same text.
   */
  #idOf({ isTime, markup, name }: RecordFact, value: unknown): string {
    const { fields, key } = this.view.resource
    if (key.columns.some(({ apiName }) => apiName === name)) return ''
    if (isTime) return markup.replace(/ title="[^"]*"/, '')
    const isStored = fields.some(({ apiName }) => apiName === name)
    return isStored ? (writeJson(value ?? null) ?? '') : markup
  }

  async #columns(
    ctx: HttpContext,
    keys: readonly KeyValue[],
    records: readonly LucidRow[],
    urlOf: (ids: readonly string[]) => string
  ): Promise<ComparedColumn[]> {
    const { view } = this
    const linkTo = await recordLinks(ctx, view, keys)
    const ids = this.#idsOf(keys)
    return records.map((record, index) => {
      const isDeleted = isDeletedRecord(view, record)
      return {
        title: cutText(view.titleOf(itemOf(view, record), keys[index])),
        href: linkTo(keys[index], isDeleted),
        isDeleted,
        without: ids.length > COMPARED.min ? urlOf(ids.toSpliced(index, 1)) : null,
      }
    })
  }

  #idsOf(keys: readonly KeyValue[]): string[] {
    return keys.map((key) => this.view.resource.key.toPath(key).slice(1))
  }

  #url(ids: readonly string[], next: string, onlyDifferences: boolean): string {
    const query = new URLSearchParams(ids.map((id): [string, string] => ['ids', id]))
    query.set('next', next)
    if (onlyDifferences) query.set(ONLY_DIFFERENCES, '1')
    return `${this.view.url('/compare')}?${query}`
  }
}
