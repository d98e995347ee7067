/*
 * Loads the introspection of the models' tables, once, before the server listens. The routes come first,
 * as crudRouter() may add resources there. A missing table stops the start, with the command that
 * creates it.
 */
import '#start/routes'
import app from '@adonisjs/core/services/app'
import { resources } from '#crud'

/* Code generation starts the application without its services, and without a database. */
if (app.getMode() === 'run') {
  await resources.load()
}
