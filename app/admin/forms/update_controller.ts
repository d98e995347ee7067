import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../model_view.js'

export class UpdateController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  async page(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }

  async submit(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }

  async withoutId(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }
}
