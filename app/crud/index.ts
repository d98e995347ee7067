/*
 * The public face of the generated endpoints: all that a model file, a configuration file or a
 * routes file needs. [P1]
 */
import './lucid/naming_strategy.js'

export { runAs, systemActor } from './actor.js'
export { Crud } from './decorator.js'
export { crudRouter } from './router.js'
export { defineConfig } from './define_config.js'
export { EndpointCreator } from './endpoints/endpoint_creator.js'
export { ModelCreated, ModelDeleted, ModelUpdated } from './events/model_events.js'
export { observeWrites, type WriteObserver } from './events/observers.js'
export type { Changes, State, Write } from './events/write.js'
export { FilterConfig } from './resource/filter_config.js'
export { LucidCrud, type CallOptions, type HookOptions } from './lucid_crud.js'
export { Problem } from './http/problem.js'
export { authorizeToken, useTokenAuthorizer } from './endpoints/access.js'
export { resources } from './resource/registry.js'
export { ConfigurationError, RuntimeError, ValueError } from './errors.js'
export type { CustomRoute, EndpointRoute } from './endpoints/endpoint_creator.js'
export type { Inclusion } from './resource/included_relation.js'
export type { Operation } from './operations/operation.js'
export type { Resource } from './resource/resource.js'
export type {
  Access,
  Actor,
  ActorSessions,
  ActorUsers,
  ApiToken,
  Authorizer,
  CrudOptions,
  CrudRouterOptions,
  Item,
  Policy,
  Scope,
} from './types.js'
