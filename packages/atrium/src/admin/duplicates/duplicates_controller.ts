import type { HttpContext } from '@adonisjs/core/http'
import { ListRequest, pageOf } from '#crud/internals'
import { keyOf } from '#base/items'
import type { AdminSite } from '../admin_site.js'
import { recordLinks } from '../http/record_links.js'
import { cutText } from '../list/cell.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList } from '../list/read_list.js'
import { groupChoices } from '../list/summaries/summaries.js'
import type { ModelView } from '../views/model_view.js'
import { mayMerge } from './merge_records.js'

/* Numbers of groups on a page, and of records that are shown of a group */
const GROUPS = 20
const RECORDS = 10

/* Parameters of the page, in addition to those of its list */
const COMPARED = 'compare'
const IGNORES = 'ignore'

type Group = Awaited<ReturnType<ModelView['crud']['duplicates']>>[number]

/** The page that finds records of a list that agree in chosen columns. */
export class DuplicatesController {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  async page(ctx: HttpContext): Promise<string> {
    const { site, view } = this
    const text = ctx.request.parsedUrl.query ?? ''
    const query = new URLSearchParams(text)
    const list = await readList(ctx, site, view, text)
    const choices = groupChoices(view)
    const wanted = new Set(query.getAll(COMPARED))
    const compared = choices.filter(({ apiName }) => wanted.has(apiName))
    const ignoresCase = compared.length === 0 || query.get(IGNORES) === '1'
    const found = await this.#find(
      ctx,
      list,
      compared.map(({ apiName }) => apiName),
      ignoresCase
    )
    const groups = Array.isArray(found) ? found : []
    const last = Math.max(1, Math.ceil(groups.length / GROUPS))
    const page = Math.min(last, Math.max(1, Number(query.get('page')) || 1))
    const isMerging = await mayMerge(ctx, site, view)
    const urlOf = (number: number) => {
      const own = new URLSearchParams(list.query)
      for (const { apiName } of compared) own.append(COMPARED, apiName)
      if (ignoresCase) own.set(IGNORES, '1')
      own.set('page', String(number))
      return `${view.url('/duplicates')}?${own}`
    }
    const shown = groups.slice((page - 1) * GROUPS, page * GROUPS)
    return await site.render(ctx, 'pages/duplicates', {
      view,
      title: site.text('duplicates.title', { label: view.label }),
      back: list.url,
      fields: [...new URLSearchParams(list.query)],
      choices: choices.map(({ apiName }) => ({
        name: apiName,
        label: view.labelOf(apiName),
        isChosen: wanted.has(apiName),
      })),
      names: { compared: COMPARED, ignores: IGNORES },
      ignoresCase,
      isAsked: compared.length > 0,
      failure: Array.isArray(found) ? null : found,
      count: groups.length,
      records: groups.reduce((sum, { count }) => sum + count, 0),
      groups: await Promise.all(shown.map((group) => this.#shown(ctx, list, group, compared))),
      merge: isMerging ? view.url('/merge') : null,
      next: urlOf(page),
      pages: {
        page,
        last,
        previous: page > 1 ? urlOf(page - 1) : null,
        next: page < last ? urlOf(page + 1) : null,
      },
    })
  }

  /** Returns the groups, or the message why they could not be found. */
  async #find(
    ctx: HttpContext,
    list: ListParameters,
    columns: readonly string[],
    ignoresCase: boolean
  ): Promise<readonly Group[] | string> {
    if (columns.length === 0) return []
    if (list.isUnread) return this.site.text('duplicates.unread')
    try {
      const options = { ...this.view.callOptions(ctx), columns, ignoresCase }
      return await this.view.crud.duplicates(list.toRequest(), options)
    } catch (error) {
      const { message, status } = error as { message: string; status?: number }
      if (status !== 422) throw error
      return message
    }
  }

  async #shown(
    ctx: HttpContext,
    list: ListParameters,
    { condition, count, values }: Group,
    compared: ReadonlyArray<{ apiName: string }>
  ) {
    const { view } = this
    const { key } = view.resource
    const sorts = key.columns.map((column) => ({ column, direction: 'asc' as const }))
    const conditions = [...list.conditions, condition]
    const request = new ListRequest(conditions, sorts, pageOf(1, RECORDS), list.deleted, {
      count: false,
    })
    const options = { ...view.callOptions(ctx), keys: true }
    const { data } = await view.crud.getMulti(request, options)
    const keys = data.map((item) => keyOf(item)!)
    const linkTo = await recordLinks(ctx, view, keys)
    return {
      heading: compared.map(({ apiName }) => cutText(String(values[0][apiName]))).join(' · '),
      count,
      more: Math.max(0, count - data.length),
      records: data.map((item, index) => ({
        id: key.toPath(keys[index]).slice(1),
        title: cutText(view.titleOf(item)),
        note: keys[index].join(', '),
        url: linkTo(keys[index]),
        values: compared.map(({ apiName }) => cutText(String(item[apiName] ?? ''))),
      })),
    }
  }
}
