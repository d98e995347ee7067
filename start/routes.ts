/*
 * The application's own routes. Decorated models need no line here; `crudRouter({ model: ... })` from
 * '#crud' gives endpoints to a model without a decorator.
 */
import router from '@adonisjs/core/services/router'
import { resources } from '#crud'

router
  .get('/', ({ view }) => view.render('pages/home', { endpoints: resources.endpoints() }))
  .as('home')
