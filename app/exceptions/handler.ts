import app from '@adonisjs/core/services/app'
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import type { HttpError } from '@adonisjs/core/types/http'
import { noteRefusal } from 'adonis-atrium'

/**
 * Handles the errors of your routes, and reports all errors. The endpoints and the admin site respond to theirs.
 */
export default class HttpExceptionHandler extends ExceptionHandler {
  protected debug = !app.inProduction

  /* Errors of callers are not logged one by one; `noteRefusal` logs refusals, each cause once a minute. */
  protected ignoreStatuses = [400, 401, 403, 422, 429]

  /** A stack shows where an error of the server is; for an error of the caller it says nothing. */
  protected isDebuggingEnabled(ctx: HttpContext): boolean {
    return super.isDebuggingEnabled(ctx) && ctx.response.getStatus() >= 500
  }

  /** The page about an error, which only developers see, brings its own styles and scripts. */
  async renderErrorAsHTML(error: HttpError, ctx: HttpContext) {
    if (this.isDebuggingEnabled(ctx)) ctx.response.response.removeHeader('content-security-policy')
    return super.renderErrorAsHTML(error, ctx)
  }

  renderError(error: HttpError, ctx: HttpContext) {
    ctx.response.status(error.status)
    return super.renderError(error, ctx)
  }

  async handle(error: unknown, ctx: HttpContext) {
    noteRefusal(ctx, { status: (error as HttpError).status })
    return super.handle(error, ctx)
  }
}
