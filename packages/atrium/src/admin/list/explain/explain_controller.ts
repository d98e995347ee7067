import type { HttpContext } from '@adonisjs/core/http'
import { explainList, Records } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import { isSuperuser } from '../../http/event_access.js'
import { viewedRoleOf } from '../../permissions/view_as_guard.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence } from '../../text/plain_text.js'
import type { ListParameters } from '../list_parameters.js'
import { readList } from '../read_list.js'
import { showPanel } from '../saved_views/views_bar.js'
import { listSteps } from './list_steps.js'
import type { Sql } from '#base/sql/sql'

/** Explains which filters, scopes and policies reduce a list. The URL contains the list's query. */
export class ExplainController {
  constructor(
    private readonly site: AdminSite,
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
