/*
 * The application's own routes. Decorated models need no line here; `crudRouter({ model: ... })` from
 * '#crud' gives endpoints to a model without a decorator.
 */
import router from '@adonisjs/core/services/router'
import adminConfig from '#config/admin'
import { resources, docsPath, crudConfig } from '#crud'

/* The admin site may be mounted at the root. */
if (adminConfig.mountPath !== '') {
  router
    .get('/', ({ view }) => {
      /* A schema that requires a token must not be shown here. */
      const isOpen = crudConfig().openapi.access === 'public'
      const endpoints = isOpen ? resources.endpoints() : null
      return view.render('pages/home', { endpoints, docsPath: docsPath() })
    })
    .as('home')
}
