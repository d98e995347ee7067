import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../model_view.js'

export class FilesController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  async show(_ctx: HttpContext): Promise<unknown> {
    throw new PageNotFound()
  }
}
