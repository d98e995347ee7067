import app from '@adonisjs/core/services/app'
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import { AdminSite } from '#admin'
import { handleAdminError } from '#admin/http/handle_error'
import { handleProblem, toReport } from '#crud/http/handle_problem'

/**
 * Where every error of a request ends. Errors of generated endpoints are answered as problems;
 * yours are answered here.
 */
export default class HttpExceptionHandler extends ExceptionHandler {
  protected debug = !app.inProduction

  async report(error: unknown, ctx: HttpContext) {
    return super.report(toReport(error, ctx), ctx)
  }

  async handle(error: unknown, ctx: HttpContext) {
    if (handleProblem(error, ctx)) return
    const site = await app.container.make(AdminSite)
    if (await handleAdminError(site, error, ctx)) return
    return super.handle(error, ctx)
  }
}
