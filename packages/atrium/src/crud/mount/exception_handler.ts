import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { toReport } from '../http/handle_problem.js'

let making: Promise<ExceptionHandler> | undefined

/** Lets the application's exception handler write an error to a log or a service. Never throws. [K4.4] */
export async function reportError(error: unknown, ctx: HttpContext): Promise<void> {
  try {
    making ??= makeHandler(ctx)
    const handler = await making
    await handler.report(toReport(error, ctx), ctx)
  } catch (failure) {
    ctx.logger.error({ err: failure }, 'The exception handler could not report the next error')
    ctx.logger.error({ err: error }, 'An error that was not reported')
  }
}

async function makeHandler({ logger }: HttpContext): Promise<ExceptionHandler> {
  const path = app.relativePath(app.exceptionsPath('handler.js'))
  try {
    const { default: Handler } = await app.import(`./${path}`)
    return await app.container.make(Handler as new () => ExceptionHandler)
  } catch (error) {
    logger.warn({ err: error }, `Errors of the engine are logged only, as ${path} cannot be used`)
    return new ExceptionHandler()
  }
}
