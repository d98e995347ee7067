/*
 * The application's own routes. Decorated models need no line here; `crudRouter({ model: ... })` from
 * '#crud' gives endpoints to a model without a decorator.
 */
import router from '@adonisjs/core/services/router'
import adminConfig from '#config/admin'
import { resources } from '#crud'
import { docsPath } from '#crud/docs/docs_routes'
import { crudConfig } from '#crud/settings'

/* The admin site may have the root for itself. */
if (adminConfig.mountPath !== '') {
  router
    .get('/', ({ view }) => {
      /* What the API schema tells holders of a token alone is nobody else's to read here. */
      const isOpen = crudConfig().openapi.access === 'public'
      const endpoints = isOpen ? resources.endpoints() : null
      return view.render('pages/home', { endpoints, docsPath: docsPath() })
    })
    .as('home')
}
