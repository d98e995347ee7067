/*
 * Exports for models, routes, configuration and other code of an application. `adonis-atrium/admin` contains the
 * remaining exports of the admin site.
 */
export { AdminView } from '#admin/views/decorator'
export {
  authorizeToken,
  ConfigurationError,
  Crud,
  crudConfig,
  crudRouter,
  defineConfig,
  docsPath,
  EndpointCreator,
  externalActor,
  FilterConfig,
  LucidCrud,
  ModelCreated,
  ModelDeleted,
  ModelUpdated,
  mysqlConnection,
  noteRefusal,
  observeWrites,
  postgresConnection,
  Problem,
  resources,
  runAs,
  RuntimeError,
  sqliteConnections,
  systemActor,
  useTokenAuthorizer,
  ValueError,
} from '#crud'
export type * from '#crud'
export { configure, stubsRoot } from './configure.js'
