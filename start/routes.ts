/*
 * The application's own routes. Decorated models need no line here; `crudRouter({ model: ... })` from
 * 'adonis-atrium' gives endpoints to a model without a decorator.
 */
import router from '@adonisjs/core/services/router'
import adminConfig from '#config/admin'
import { resources, docsPath, crudConfig } from 'adonis-atrium'

/* The admin site may be mounted at the root. */
if (adminConfig.mountPath !== '') {
  router
    .get('/', ({ view }) => {
      /* What the schema keeps from the public must not be shown here. */
      const { enabled, access } = crudConfig().openapi
      const isOpen = enabled && access === 'public'
      const all = resources.endpoints()
      const endpoints = isOpen || all.length === 0 ? all : null
      return view.render('pages/home', { endpoints, docsPath: docsPath() })
    })
    .as('home')
}
