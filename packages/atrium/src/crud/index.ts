/* Public API of the generated endpoints, for model files, configuration files and routes files. */
export { externalActor, runAs, systemActor } from '#base/actor'
export { Crud } from './decorator.js'
export type { CrudOptions, CrudRouterOptions } from './decorator.js'
export { crudRouter } from './router.js'
export { defineConfig } from './define_config.js'
export { crudConfig } from './settings.js'
export { mysqlConnection } from '#base/database/mysql/mysql_connection'
export { postgresConnection } from '#base/database/postgres/postgres_connection'
export { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
export { docsPath } from './docs/docs_page.js'
export { EndpointCreator } from './endpoints/endpoint_creator.js'
export { ModelCreated, ModelDeleted, ModelUpdated } from './events/model_events.js'
export { observeWrites, type RecordByStatements, type WriteObserver } from './events/observers.js'
export type { Changes, State, Write } from './events/write.js'
export { FilterConfig } from './resource/filters.js'
export { LucidCrud } from './lucid_crud.js'
export type {
  CallOptions,
  CreateOptions,
  HookOptions,
  UpdateOptions,
  WriteOptions,
} from './operations/call_options.js'
export type { AggregateOptions } from './operations/aggregate.js'
export type { ListResult } from './operations/lists/list_result.js'
export type { GrantedOperation } from './resource/permissions.js'
export { handleProblem, toReport } from './http/handle_problem.js'
export { noteRefusal } from '#base/http/send_problem'
export { authorizeToken, useTokenAuthorizer, type Authorizer } from './endpoints/access.js'
export { resources } from './resource/registry.js'
export { ConfigurationError, Problem, RuntimeError, ValueError } from '#base/errors'
export type { CustomRoute, EndpointRoute } from './endpoints/endpoint_options.js'
export type { Operation } from './operations/operation.js'
export type { IncludeOption } from './resource/included_relation.js'
export type { IncludedRelation, Policy, Resource, Scope } from './resource/resource.js'
export type { FilterOperator, FilterOperators } from './resource/custom_operators.js'
export type {
  Access,
  Actor,
  ActorSessions,
  ActorUsers,
  ApiToken,
  ComputedFilter,
  Item,
} from './types.js'
