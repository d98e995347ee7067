import app from '@adonisjs/core/services/app'
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import type { HttpError } from '@adonisjs/core/types/http'
import { AdminSite, handleAdminError } from '#admin'
import { handleProblem, noteRefusal, toReport } from '#crud'

/**
 * Where every error of a request ends. Errors of generated endpoints are answered as problems;
 * yours are answered here.
 */
export default class HttpExceptionHandler extends ExceptionHandler {
  protected debug = !app.inProduction

  /* Errors of callers are not logged one by one; `noteRefusal` logs refusals, each cause once a minute. */
  protected ignoreStatuses = [400, 401, 403, 422, 429]

  async report(error: unknown, ctx: HttpContext) {
    return super.report(toReport(error, ctx), ctx)
  }

  /** A stack shows where a fault of ours lies; what callers did wrong has nothing to look up there. */
  protected isDebuggingEnabled(ctx: HttpContext): boolean {
    return super.isDebuggingEnabled(ctx) && ctx.response.getStatus() >= 500
  }

  /** The page about a fault, which only developers see, brings its own styles and scripts. */
  async renderErrorAsHTML(error: HttpError, ctx: HttpContext) {
    if (this.isDebuggingEnabled(ctx)) ctx.response.response.removeHeader('content-security-policy')
    return super.renderErrorAsHTML(error, ctx)
  }

  renderError(error: HttpError, ctx: HttpContext) {
    ctx.response.status(error.status)
    return super.renderError(error, ctx)
  }

  async handle(error: unknown, ctx: HttpContext) {
    if (await handleProblem(error, ctx)) return
    const site = await app.container.make(AdminSite)
    if (await handleAdminError(site, error, ctx)) return
    noteRefusal(ctx, { status: (error as HttpError).status })
    return super.handle(error, ctx)
  }
}
