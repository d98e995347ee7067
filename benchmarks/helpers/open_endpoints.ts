/*
 * Imported before a server of ours starts: in production its endpoints would want a token, which is not
 * what is measured, and what it is compared with has none.
 */
import { Ignitor } from '@adonisjs/core'

const { httpServer } = Ignitor.prototype

Ignitor.prototype.httpServer = function () {
  this.tap((app) => app.booted(() => app.config.set('crud.access', 'public')))
  return httpServer.call(this)
}
