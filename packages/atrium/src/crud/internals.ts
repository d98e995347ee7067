/*
 * Exports of the endpoints' code that the admin site and the host use in addition to '#crud', each with its purpose and,
 * where applications have something else, what they use. At most 60 names. Code that does not depend on resources,
 * endpoints or pages is in src/base. The base class of commands is in `commands/command.ts`, because a server does not
 * load console code.
 */

/* Options and startup */

/** A view merges its options over those of `@Crud`; applications have no use for the options of a decorator */
export { crudOptionsOf } from './decorator.js'
/** Creates resource and CRUD object of a view from its model's options; applications have `EndpointCreator` */
export { resourceAndCrud } from './endpoints/model_endpoints.js'
/** The class of a model's endpoints; applications set it in their options */
export { creatorOf } from './router.js'
/** Reports errors of views in one list with those of models, once per start */
export { reportErrors } from './resource/registry.js'
/** The site and the doctor find models in the same files as the provider; applications import their models */
export { modelFiles } from './lucid/model_files.js'
/** Only for the doctor: warnings that are also logged at startup */
export { accessWarnings } from './endpoints/public_writes.js'
/** Only for the doctor: the check of start/kernel.ts that also runs at startup */
export { requireMount } from './mount/start_checks.js'
/** Only parts of the engine have paths next to the application's routes */
export { mountPart } from './mount/mounted_parts.js'
/** The site does not respond to paths of the endpoints, even if they are below its mount path */
export { isBelowPrefix } from './endpoints/generated_routes.js'

/* Requests */

/** Responds with 404 or 405 below a view's `/crud`; applications have `handleProblem` for whole requests */
export { respondNotFound } from './http/handle_problem.js'
/** Refusals are logged with the model of the request; applications have events for refusals */
export { requestSubject } from './http/request_transaction.js'
/** Pages share the memory budget of responses with the endpoints; the limit is `limits` in config/crud.ts */
export { responseBudgetOf } from './http/response_budget.js'
/** The response to a missing or invalid token; an authorizer of an application throws its own problem */
export { unauthenticated } from './endpoints/access.js'

/* Descriptions of models */

/** The site creates resources of its own models and views; applications get theirs from `resources` */
export { Resource } from './resource/resource.js'
/** Also contains models without endpoints, which `resources` does not list */
export { knownResources } from './resource/resource.js'
/** Names that the abilities of tokens can contain; applications have the type `Operation` */
export { OPERATIONS } from './operations/operation.js'
/** Widgets of the site decide which columns contain files; applications declare them with `vine.file()` */
export { noteFileColumns } from './operations/writes/check_files.js'
/** Only for bodies of test records, which contain no files */
export { holdsFiles } from './operations/writes/check_files.js'
/** Users, sessions and the log must not be in the API; models of applications have `access` */
export { excludeFromInclude } from './resource/included_relation.js'
/** No role can grant access to these models, and no revert writes them */
export { isExcludedFromInclude } from './resource/included_relation.js'

/* Permissions by roles */

/** The only source of permissions is the roles of the site; applications have `policy` and `scope` */
export { usePermissions } from './resource/permissions.js'
/** Interface of the permissions that roles give */
export type { Permissions } from './resource/permissions.js'
/** Permissions of one role on one model */
export type { Grant } from './resource/permissions.js'
/** Checks records against grants, regardless of read access */
export { reachedOf } from './operations/authorize.js'

/* Lists */

/** The site converts the different syntax of its list URLs to requests; applications pass options to `getMulti` */
export { ListRequest } from './request/list_request.js'
/** Parser of list parameters: the admin list translates its parameters to the parameters of the API */
export { readListInput } from './request/list_grammar.js'
/** Type of the parameters of a list */
export type { ListInput } from './request/list_grammar.js'
/** Paging of a list request */
export { pageOf } from './request/list_grammar.js'
/** Reads records by conditions with scope and policy, without the overridable methods of `LucidCrud` */
export { Records } from './operations/records.js'
/** Number of records in a list; applications have `count` of `LucidCrud`, for filters only */
export { countMatching } from './operations/lists/matching_keys.js'
/** Keys of all records in a list, for actions on all of them */
export { matchingKeys } from './operations/lists/matching_keys.js'
/** Exports of the site and of the API read lists in the same way; applications get only the file */
export { listBatches } from './operations/lists/list_batches.js'
/** Divides a list for an export, so that the database sorts it once */
export { orderedParts } from './operations/lists/list_batches.js'
/** For *Previous* and *Next* of a record; the API has no such endpoint */
export { neighbours } from './operations/lists/neighbours.js'
/** SQL and plan of a list for superusers of the site; applications have their database's tools */
export { explainList } from './operations/lists/explain_list.js'
/** Columns that can have facets; for applications, `countByValue` returns null for other columns */
export { countsValues } from './operations/count.js'

/* Writes */

/** Combines a bulk action, an import or a form with rows into one event; applications use transactions and `runAs` */
export { gatherWrites } from './events/write_scope.js'
/** Counts the records that an edit has changed in its transaction */
export { scopeOf } from './events/write_scope.js'
/** Statements of the site assign roles to users; events of the users report these changes */
export { Pivots } from './events/pivots.js'
/** Reports changes of relations that the site already knows */
export { noteChanges } from './events/pivots.js'
/** Only for the removal of test records: events report most of them */
export { isWatched } from './events/observers.js'
/** Converts errors of the driver to problems if the site runs a transaction around `LucidCrud` */
export { errorToProblem } from './operations/writes/error_to_problem.js'
/** Limit of a many-to-many field, shown in the form before a write exceeds it */
export { MOST_RELATED } from './operations/call_options.js'
/** Data that a many-to-many field sends: attached records, and the records that the user was shown */
export type { WantedRelated } from './operations/call_options.js'
/** Values of the columns of the pivot rows of a many-to-many field */
export type { PivotValues } from './operations/call_options.js'
/** Lists what a deletion also affects, before it is confirmed; it is limited by roles, which only the site checks */
export { deletionEffects } from './operations/related/deletion_effects.js'
/** Rows are counted up to this number, which the page displays */
export { MOST_COUNTED } from './operations/related/deletion_effects.js'

/* Summaries and groups of a list */

/** The functions that a column can be summarized with, for the choices of the list */
export { measuresOf } from './request/aggregate_request.js'
/** What a list can be grouped by, for the choices of the list */
export { groupKeysOf } from './request/aggregate_request.js'
/** A column by which a list is grouped, or a unit of its dates */
export type { GroupKey } from './sql/aggregates.js'
/** Name of a function such as `sum` */
export type { MeasureName } from './sql/aggregates.js'

/* Merge of records */

/** Changes references to merged records so that they refer to the remaining one */
export { moveReferences } from './operations/related/move_references.js'
/** Fields of related records in filters; the site also checks whether the user can see their models */
export { RelatedFields } from './operations/related/related_fields.js'

/* Undo, which requires the log of the site */

/** Data to revert a write, as the log stores it */
export type { Reversal } from './events/reversal.js'
/** Creates the data to revert a write from its rows, which applications do not get as they contain hidden values */
export { reversalOf } from './events/reversal.js'
/** The operation that reverts a write, for the permission that it requires */
export { operationOf } from './operations/revert.js'
/** Checks references before the undo button is shown */
export { checkReverted } from './operations/revert.js'
/** The records of an event that have been changed since then */
export { recordsChangedSince } from './operations/writes/revert_state.js'
/** Restores pivot rows after all records of an event */
export { revertPivots } from './operations/revert.js'
/** Restores references to records that the same undo creates later, as stored and without hooks */
export { putExactly } from './operations/writes/revert_state.js'
