import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { clockTime } from '../time/local_time.js'
import { writtenTime } from '../time/moment.js'
import { presentZone } from '../time/time_zone.js'
import { ListPage } from './list_page.js'
import { besideList } from './saved_views/views_bar.js'

/** Maximum rows of a printed list */
export const PRINTED_MAX = 5_000

/**
 * A list for paper: all records that match, with the columns and the order of the list. [L14]
 */
export class PrintController {
  readonly #page: ListPage

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {
    this.#page = new ListPage(site, view)
  }

  async show(ctx: HttpContext): Promise<string> {
    const parameters = await this.#page.parametersOf(ctx)
    const first = parameters.with({ page: 1 })
    const data = await this.#page.data(ctx, first.with({ rows: PRINTED_MAX }))
    const { time } = clockTime(new Date().toISOString())!
    return await this.site.render(ctx, 'pages/list_print', {
      ...data,
      title: this.view.label,
      sheet: 'list_print.css',
      hasForms: false,
      back: first.url,
      exported: data.links.export && besideList(first, '/export/dialog'),
      printed: `${writtenTime(time, { seconds: false })} ${presentZone()}`,
      isCut: data.items.length === PRINTED_MAX && data.total_items !== PRINTED_MAX,
    })
  }
}
