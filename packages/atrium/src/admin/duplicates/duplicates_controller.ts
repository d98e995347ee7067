import type { HttpContext } from '@adonisjs/core/http'
import { textOf } from '#base/values/numbers'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { MERGED } from '../bulk/bulk_bar.js'
import { NotAllowed } from '../http/errors.js'
import { sentTexts } from '../http/form_texts.js'
import { recordLinks } from '../http/record_links.js'
import { redirect, redirectWithMessage } from '../http/redirect.js'
import { jobUrl } from '../jobs/pages/shown_job.js'
import { cutText } from '../list/cell.js'
import { labelOfValue, titlesOfValues } from '../list/filters/facet_values.js'
import { sharedColumns } from '../list/summaries/summaries.js'
import { recordFacts } from '../record/record_facts.js'
import { inSentence } from '../text/plain_text.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'
import {
  COMPARED,
  findGroups,
  IGNORES,
  isMergedByRule,
  mergedByRule,
  type DuplicateGroup,
  type FoundDuplicates,
  filledFields,
  keysOfGroup,
  MERGED_BY_RULE,
  readRule,
  type MergeRule,
} from './merge_rule.js'
import { mergeFields, mayMerge } from './merge_records.js'
import { MERGE_JOB } from './merge_job.js'
import type { BulkSite } from '../bulk/bulk_job.js'

/* Number of groups on a page, and of records that are shown of a group */
const GROUPS = 20
const RECORDS = 10

/* Parameters with the rule of a previewed merge, and with the number of the group to open */
const KEEP = 'keep'
const GROUP = 'group'

/** The page that finds records of a list that agree in chosen columns, and merges all of them by a rule. */
export class DuplicatesController {
  constructor(
    private readonly site: BulkSite,
    private readonly view: ModelView
  ) {}

  async page(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const text = ctx.request.parsedUrl.query ?? ''
    const query = new URLSearchParams(text)
    const found = await findGroups(ctx, site, view, text)
    const { compared, groups, list, records } = found
    const isMerging = await mayMerge(ctx, site, view)
    const opened = query.get(GROUP)
    if (opened !== null && isMerging) return await this.#open(ctx, found, Number(opened))
    const rule = isMerging && groups.length > 0 ? readRule(query.get(KEEP)) : null
    const last = Math.max(1, Math.ceil(groups.length / GROUPS))
    const page = Math.min(last, Math.max(1, Number(query.get('page')) || 1))
    const first = (page - 1) * GROUPS
    const urlOf = (number: number) => this.#urlOf(found, { page: String(number) }, rule)
    const shown = groups.slice(first, page * GROUPS)
    const label = await this.#labels(ctx, found, shown)
    const merged = mergedByRule(groups)
    return await site.render(ctx, 'pages/duplicates', {
      view,
      title: site.text('duplicates.title', { label: inSentence(view.label) }),
      back: list.url,
      fields: [...new URLSearchParams(list.query)],
      choices: sharedColumns(view).map((column) => ({
        name: column.apiName,
        label: view.labelOf(column.apiName),
        isChosen: compared.length > 0 ? compared.includes(column) : column === view.titleColumn,
      })),
      names: { compared: COMPARED, ignores: IGNORES, keep: KEEP },
      ignoresCase: found.ignoresCase,
      isAsked: compared.length > 0,
      failure: found.failure,
      count: groups.length,
      records,
      groups: await Promise.all(
        shown.map((group, index) =>
          this.#shown(ctx, found, group, label, rule, isMerging ? first + index : null)
        )
      ),
      /* The merge of all groups; null for users who cannot merge */
      all: isMerging && {
        rule,
        place: view.url('/duplicates'),
        query: this.#urlOf(found).split('?')[1],
        cancel: this.#urlOf(found),
        groups: merged.length,
        deleted: merged.reduce((sum, { count }) => sum + count - 1, 0),
        others: groups.length - merged.length,
      },
      pages: {
        page,
        last,
        previous: page > 1 ? urlOf(page - 1) : null,
        next: page < last ? urlOf(page + 1) : null,
      },
    })
  }

  /**
   * Starts the job that merges all groups by the rule of the preview. If the groups have changed, redirects to the page
   * with a message.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    if (!(await mayMerge(ctx, site, view))) throw new NotAllowed()
    const sent = sentTexts(ctx)
    const valueOf = (name: string) => sent.get(name)?.at(-1) ?? ''
    const query = valueOf('query')
    const found = await findGroups(ctx, site, view, query)
    const rule = readRule(valueOf(KEEP))
    const groups = mergedByRule(found.groups)
    const isSame = groups.length === Number(valueOf('count')) && found.failure === null
    if (!rule || !isSame || groups.length === 0) {
      const key = found.failure ? null : 'duplicates.all.changed'
      const text = key ? site.text(key) : found.failure!
      return await redirectWithMessage(ctx, this.#urlOf(found, {}, rule), { kind: 'error', text })
    }
    const job = await site.jobs.start(ctx, MERGE_JOB, {
      model: view.name,
      total: groups.length,
      payload: { query, keep: rule, count: groups.length },
    })
    redirect(ctx, jobUrl(site, job))
  }

  /** Opens the merge of one group, or returns to the page after the last one. */
  async #open(ctx: HttpContext, found: FoundDuplicates, number: number): Promise<void> {
    const group = found.groups[number]
    if (group) return redirect(ctx, await this.#mergeUrl(ctx, found, group, number))
    const text = this.site.text('duplicates.noMore')
    await redirectWithMessage(ctx, this.#urlOf(found), { kind: 'success', text })
  }

  async #mergeUrl(
    ctx: HttpContext,
    found: FoundDuplicates,
    { condition }: DuplicateGroup,
    number: number
  ): Promise<string> {
    const keys = await keysOfGroup(ctx, this.view, found.list, condition, null, MERGED.max)
    const query = new URLSearchParams(this.#idsOf(keys).map((id): [string, string] => ['ids', id]))
    query.set('next', this.#urlOf(found))
    query.set('group', String(number))
    return `${this.view.url('/merge')}?${query}`
  }

  #urlOf(
    { compared, ignoresCase, list }: FoundDuplicates,
    more: Record<string, string> = {},
    rule: MergeRule | null = null
  ): string {
    const query = new URLSearchParams(list.query)
    for (const { apiName } of compared) query.append(COMPARED, apiName)
    if (ignoresCase) query.set(IGNORES, '1')
    if (rule) query.set(KEEP, rule)
    for (const [name, value] of Object.entries(more)) query.set(name, value)
    return `${this.view.url('/duplicates')}?${query}`
  }

  /** Returns the function that formats values of compared columns as lists do. */
  async #labels(
    ctx: HttpContext,
    { compared }: FoundDuplicates,
    groups: readonly DuplicateGroup[]
  ): Promise<(column: Column, value: unknown) => string> {
    const { site, view } = this
    const titles = new Map<Column, ReadonlyMap<string, string>>()
    for (const column of compared) {
      const values = groups.map((group) => ({ value: group.values[0][column.apiName] }))
      titles.set(column, await titlesOfValues(ctx, site, view, column, values))
    }
    return (column, value) =>
      labelOfValue(site, view, column, value === null ? null : textOf(value), titles.get(column)!)
  }

  async #shown(
    ctx: HttpContext,
    found: FoundDuplicates,
    group: DuplicateGroup,
    label: (column: Column, value: unknown) => string,
    rule: MergeRule | null,
    number: number | null
  ) {
    const { site, view } = this
    const { condition, count, values } = group
    const most = rule ? MERGED_BY_RULE.records : RECORDS
    const keys = await keysOfGroup(ctx, view, found.list, condition, rule, most)
    const records = await view.crud.findMany(keys, view.callOptions(ctx))
    const linkTo = await recordLinks(ctx, view, keys)
    const isMerged = rule !== null && isMergedByRule(group)
    const filled = isMerged ? [...filledFields(mergeFields(view), records)] : []
    const heading = found.compared.map((column) => label(column, values[0][column.apiName]))
    return {
      heading: heading.join(' · '),
      count,
      more: Math.max(0, count - RECORDS),
      number,
      open: number === null ? null : this.#urlOf(found, { [GROUP]: String(number) }),
      isMerged,
      records: records.slice(0, RECORDS).map((record, index) => {
        const item = itemOf(view, record)
        const own = found.compared.map((column) => label(column, item[column.apiName]))
        return {
          title: cutText(view.titleOf(item, keys[index])),
          note: keys[index].join(', '),
          url: linkTo(keys[index]),
          spelling: own.join() === heading.join() ? null : own.join(' · '),
        }
      }),
      filled: await Promise.all(
        filled.map(async ([column, source]) => {
          const facts = await recordFacts(ctx, site, view, itemOf(view, source))
          return {
            label: view.labelOf(column.apiName),
            markup: facts.find(({ name }) => name === column.apiName)?.markup ?? '',
          }
        })
      ),
    }
  }

  #idsOf(keys: readonly KeyValue[]): string[] {
    return keys.map((key) => this.view.resource.key.toPath(key).slice(1))
  }
}
