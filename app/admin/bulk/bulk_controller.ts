import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../model_view.js'
import type { BulkAction } from './bulk_action.js'

export class BulkController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  async delete(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }

  async restore(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }

  async confirm(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }

  async act(_action: BulkAction, _ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }
}
