import type { HttpContext } from '@adonisjs/core/http'
import { explainList, Records, countMatching } from '#crud/internals'
import { isSuperuser } from '../../identity/admin_guard.js'
import { viewedRoleOf } from '../../permissions/view_as_guard.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence } from '../../text/plain_text.js'
import type { ListParameters } from '../list_parameters.js'
import { readList, type ListSite } from '../read_list.js'
import { showPanel } from '../saved_views/views_bar.js'
import type { Sql } from '#base/sql/sql'
import { LucidCrud } from '#crud'
import { readFilters, type ReadFilter } from '#base/columns/filter'
import { OutOfTime, withinTime } from '#base/database/time_limit'
import { adminActor } from '../../identity/admin_actor.js'
import type { Site } from '../../views/site.js'
import type { WithUserAttributes } from '../../config/user_attributes.js'
import { lackingScopes } from '../../views/lacking_scopes.js'
import { cutText } from '../cell.js'
import { filterNotes } from '../empty_state.js'
import { filterWords, groupInWords, omitsEmpty } from '../filters/filter_words.js'
import { isFull, withFilter } from '../filters/filter_bar.js'
import { filterByValues } from '../filters/form_operators.js'
import { namedFilter } from '../list_filters.js'
import { NO_TITLES } from '../title_search.js'

/** Explains which filters, scopes and policies reduce a list. The URL contains the list's query. */
export class ExplainController {
  constructor(
    private readonly site: ListSite & WithUserAttributes,
    private readonly view: ModelView
  ) {}

  async show(ctx: HttpContext): Promise<string> {
    const query = ctx.request.parsedUrl.query ?? ''
    const parameters = await readList(ctx, this.site, this.view, query)
    const steps = await listSteps(ctx, this.site, parameters)
    return await showPanel(ctx, this.site, {
      view: this.view,
      title: this.site.text('list.explain.title', { many: inSentence(this.view.label) }),
      content: 'admin/partials/explain',
      back: parameters.url,
      steps,
      database: await this.#database(ctx, parameters),
    })
  }

  /** Returns the statement and its plan; null for users with roles, as both would reveal hidden columns and records. */
  async #database(ctx: HttpContext, parameters: ListParameters) {
    if (!isSuperuser(ctx) || viewedRoleOf(ctx) !== undefined) return null
    const { view } = parameters
    const records = new Records(view.resource)
    const { statement, plan } = await explainList(
      records,
      parameters.toRequest(),
      view.callOptions(ctx)
    )
    return { sql: writtenSql(statement), bindings: writtenBindings(statement), plan }
  }
}

/* Quoted names and texts, in which keywords have no meaning */
const QUOTED = /("[^"]*"|`[^`]*`|'[^']*')/

const LONGEST_VALUE = 200

/** Returns a statement with line breaks before its clauses. */
function writtenSql({ sql }: Sql): string {
  const parts = sql.split(QUOTED)
  const lines = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/ (from|where|order by|limit) /g, '\n$1 ')
  )
  return lines.join('')
}

/** Returns the values of a statement for display, in the order of its placeholders. */
function writtenBindings({ bindings }: Sql): string[] {
  return bindings.map((value) => {
    if (Buffer.isBuffer(value)) return `${value.length} bytes`
    const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
    return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
  })
}

/* Milliseconds for all counts together, so that a large table does not delay the page for long */
const TIMEOUT = 5000

/** A restriction of a list, with the number of records that remain, or a filter that is ignored. */
interface ListStep {
  text: string
  /**
   * Number of records that remain. `unknown`: the policy would have to check too many records; `slow`: there was no
   * time to count; null: records that the viewer cannot see would be counted, or the filter is ignored
   */
  count: number | 'unknown' | 'slow' | null
  isIgnored: boolean
  /** Records without a value that a negation omits; the URL of the list with them, null if it has too many filters */
  empty?: { count: number; url: string | null }
}

type ExplainedSite = Site & WithUserAttributes

/** A step that is counted as a list of its own. */
interface Reduction {
  text: string
  list: ListParameters
  /** The records that a negation omits as they have no value */
  empty?: { list: ListParameters; url: string | null }
}

/**
 * Returns what reduces a list, in words, with the number of records after each step. Records outside of the viewer's
 * scopes are not counted, and columns that the viewer cannot see are not named.
 *
 * @throws Problem 403  if the policy refuses listing
 */
async function listSteps(
  ctx: HttpContext,
  site: ExplainedSite,
  parameters: ListParameters
): Promise<ListStep[]> {
  const { view } = parameters
  const limits = await accessLimits(ctx, site, view)
  const { softDelete } = view.resource
  const first = parameters.unfiltered.with({ deleted: softDelete ? 'include' : 'exclude' })
  const words = { many: inSentence(view.label) }
  const start = [site.text('list.explain.all', words), ...limits]
  const reductions = [
    { text: start.at(-1)!, list: first },
    ...(await reductionsOf(ctx, site, parameters, first)),
  ]
  const ignored = filterNotes(site, view, parameters).map(({ text }) => ({
    text,
    count: null,
    isIgnored: true,
  }))
  const uncounted = start.slice(0, -1).map((text) => ({ text, count: null, isIgnored: false }))
  return [...uncounted, ...(await counted(ctx, reductions)), ...ignored]
}

/** Returns the scopes and policies that apply to every list of the viewer. */
async function accessLimits(
  ctx: HttpContext,
  site: ExplainedSite,
  view: ModelView
): Promise<string[]> {
  const { crud, name, options, resource } = view
  const say = (key: string, data?: Record<string, string>) => site.text(`list.explain.${key}`, data)
  const { $hooks: hooks } = resource.model
  const reach = await site.permissions.reachOf(adminActor(ctx), name, 'view')
  const lacking = await lackingScopes(ctx, site, view)
  const named = Object.entries(options.scopes ?? {}).filter(([, scope]) => reach?.includes(scope))
  const roles = named.map(([scope]) => `“${scope}”`).join(` ${site.text('list.filters.says.or')} `)
  return [
    ...(resource.base.scope ? [say('scope')] : []),
    ...(reach ? [say(roles === '' ? 'noScope' : 'roles', { scopes: roles })] : []),
    ...lacking.map(({ scope, value }) =>
      scope === undefined ? say('modelLacks', { value }) : say('scopeLacks', { scope, value })
    ),
    ...(resource.authorizesRecords ? [say('policy')] : []),
    ...(crud.getMulti === LucidCrud.prototype.getMulti ? [] : [say('code')]),
    ...(hooks.has('before:fetch') || hooks.has('after:fetch') ? [say('hook')] : []),
  ]
}

/** Returns what the viewer has chosen in the list: deleted records, search, filters and groups. */
async function reductionsOf(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters,
  first: ListParameters
): Promise<Reduction[]> {
  const { view, deleted, q, search, column, condition } = parameters
  const reductions: Reduction[] = []
  let list = first
  const add = (
    text: string,
    values: Parameters<ListParameters['with']>[0],
    empty?: Reduction['empty']
  ) => {
    list = list.with(values)
    reductions.push({ text, list, empty })
  }
  const say = (key: string, data: Record<string, string> = {}) =>
    site.text(`list.explain.${key}`, data)
  if (first.deleted !== deleted) add(say(`deleted.${deleted}`), { deleted })
  if (condition) {
    const label = view.labelOf(column!.apiName)
    add(say('search', { label, text: cutText(search) }), { column, search })
  }
  if (q !== '' && !parameters.isUnsearchable) add(say('words', { text: cutText(q) }), { q })
  for (const { text, filters } of await filtersInWords(ctx, site, parameters)) {
    const empty = filters.length === 1 ? emptyOf(parameters, list, filters[0]) : undefined
    add(text, { filters: [...list.filters, ...filters] }, empty)
  }
  return reductions
}

/** Returns the records of `list` that a negation omits as they have no value; undefined for other filters. */
function emptyOf(
  parameters: ListParameters,
  list: ListParameters,
  filter: ReadFilter
): Reduction['empty'] {
  const { view } = parameters
  if (!omitsEmpty(filter)) return undefined
  const [isNull] = readFilters([filterByValues(filter.column!, [null])], (name) =>
    namedFilter(view, NO_TITLES, name)
  )
  if (!isNull?.condition) return undefined
  const target = { edited: undefined, first: filter }
  return {
    list: list.with({ filters: [...list.filters, isNull] }),
    url: isFull(parameters, target) ? null : withFilter(parameters, isNull, target).url,
  }
}

async function filtersInWords(ctx: HttpContext, site: Site, parameters: ListParameters) {
  const passed = parameters.filters.filter(({ condition }) => condition)
  const words = await filterWords(ctx, site, parameters.view, passed)
  const known = new Map(passed.map((filter, index) => [filter, words[index]]))
  const groups = Map.groupBy(passed, (filter: ReadFilter) => filter.group ?? filter)
  return [...groups.values()].map((filters) => ({
    filters,
    text: groupInWords(
      site,
      filters.map((filter) => known.get(filter)!)
    ),
  }))
}

async function counted(ctx: HttpContext, reductions: readonly Reduction[]): Promise<ListStep[]> {
  const end = Date.now() + TIMEOUT
  const steps: ListStep[] = []
  const count = async (list: ListParameters) => {
    const left = end - Date.now()
    return left > 0 ? await countOf(ctx, list, left) : 'slow'
  }
  for (const { text, list, empty } of reductions) {
    const all = await count(list)
    const omitted = empty ? await count(empty.list) : 0
    const isOmitted = typeof omitted === 'number' && omitted > 0
    steps.push({
      text,
      isIgnored: false,
      count: all,
      ...(isOmitted && { empty: { count: omitted, url: empty!.url } }),
    })
  }
  return steps
}

async function countOf(ctx: HttpContext, list: ListParameters, timeout: number) {
  const { view } = list
  const options = view.callOptions(ctx)
  const isPlain = view.crud.getMulti === LucidCrud.prototype.getMulti
  try {
    const total = await withinTime(timeout, async () => {
      if (isPlain) return await countMatching(new Records(view.resource), list.toRequest(), options)
      const { total_count: all } = await view.crud.getMulti(
        list.with({ rows: 1 }).toRequest(),
        options
      )
      return all
    })
    return total ?? 'unknown'
  } catch (error) {
    if (error instanceof OutOfTime) return 'slow'
    throw error
  }
}
