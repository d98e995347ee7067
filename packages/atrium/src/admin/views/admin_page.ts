import type { HttpContext } from '@adonisjs/core/http'

/**
 * A page of the application in the admin site: a class in `app/admin_pages/`.
 *
 * @example
 * ```ts
 * export default class Tides extends AdminPage {
 *   path = 'tides'
 *   label = 'Tides'
 *   template = 'admin/tides'
 *   async data() {
 *     return { tides: await new LucidCrud(Tide).getMulti() }
 *   }
 * }
 * ```
 */
export abstract class AdminPage {
  /** Path below the mount path, such as `tides` or `reports/tides` */
  abstract readonly path: string
  /** Heading of the page, and its name in the sidebar and the search */
  abstract readonly label: string
  /** SVG path data in a box of 24 by 24. Default: the first letter of the label */
  readonly icon?: string
  /** Group of the sidebar. Default: Pages */
  readonly group?: string
  /** Name in the `pages` of roles that allow the page. Default: the path */
  readonly permission?: string
  /** Edge template in resources/views: the content of the page, below its heading */
  abstract readonly template: string

  /**
   * Returns the variables of the template. Operations of `LucidCrud` in this method have the permissions of the
   * signed-in user.
   */
  data(_ctx: HttpContext): object | Promise<object> {
    return {}
  }
}

/** Returns the name by which roles allow a page. */
export function permissionOfPage({ permission, path }: AdminPage): string {
  return permission ?? path
}

/** The parts of a site that the pages of the application need. */
export interface WithPages {
  /** Pages by path */
  readonly pages: ReadonlyMap<string, AdminPage>
}
