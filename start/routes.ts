/*
 * The application's own routes. Decorated models need no line here; `crudRouter({ model: ... })` from
 * '#crud' gives endpoints to a model without a decorator.
 */
import router from '@adonisjs/core/services/router'
import adminConfig from '#config/admin'
import { resources } from '#crud'

/* The admin site may have the root for itself. */
if (adminConfig.mountPath !== '') {
  router
    .get('/', ({ view }) => view.render('pages/home', { endpoints: resources.endpoints() }))
    .as('home')
}
