import { ExceptionHandler } from '@adonisjs/core/http'

export default class HttpExceptionHandler extends ExceptionHandler {
  /* Without stack traces, which name lines of the installed packages */
  protected debug = false
}
