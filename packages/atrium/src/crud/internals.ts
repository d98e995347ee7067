/*
 * What the admin site and the host use of the endpoints' code beyond '#crud', each with the reason why applications do
 * not get it. At most 60 names [K6]. What knows no resource, endpoint or page is in src/base. The base class of commands
 * is in `commands/command.ts`, as a server does not load console code.
 */

/* Options and start */

/** Read once per view: a view's options complete those of `@Crud`, which applications read as written */
export { crudOptionsOf } from './decorator.js'
/** A view's endpoints are the model's under another path; applications have `EndpointCreator` */
export { resourceAndCrud } from './endpoints/crud_object.js'
/** The class for those endpoints; applications name it in their options */
export { creatorOf } from './router.js'
/** Errors of views are reported in one list with those of models, once per start */
export { reportErrors } from './report_errors.js'
/** The site and the doctor look for models where the provider does; applications import their models */
export { modelFiles } from './lucid/model_files.js'
/** For the doctor alone: warnings that the start logs, too */
export { accessWarnings } from './endpoints/public_writes.js'
/** For the doctor alone: the check of start/kernel.ts that the start makes */
export { requireMount } from './mount/start_checks.js'
/** Only parts of the engine have addresses next to the application's routes */
export { mountPart } from './mount/mounted_parts.js'
/** Where the endpoints are, the site is not, even if its mount path is above them */
export { isBelowPrefix } from './endpoints/generated_routes.js'

/* Requests */

/** Responds with 404 or 405 below a view's `/crud`; applications have `handleProblem` for whole requests */
export { respondNotFound } from './http/handle_problem.js'
/** Refusals are logged with the model that a request is about; applications have events of refusals */
export { requestSubject } from './http/request_transaction.js'
/** Pages share the memory of responses with the endpoints; its limit is `limits` in config/crud.ts */
export { responseBudgetOf } from './http/response_budget.js'
/** The response to a missing or invalid token; an authorizer of an application throws its own problem */
export { unauthenticated } from './endpoints/access.js'

/* Descriptions of models */

/** The site makes them of its own models and views; applications get theirs from `resources` */
export { Resource } from './resource/resource.js'
/** Also finds models without endpoints, which `resources` does not list */
export { knownResources } from './resource/resource.js'
/** Names that abilities of tokens can have; applications have the type `Operation` */
export { OPERATIONS } from './operations/operation.js'
/** Widgets of the site decide which columns hold files; applications declare them by `vine.file()` */
export { noteFileColumns } from './operations/writes/check_files.js'
/** For bodies of test records alone, which have no files */
export { holdsFiles } from './operations/writes/check_files.js'
/** Users, sessions and the log must not appear in the API; models of applications have `access` */
export { excludeFromInclude } from './resource/excluded_from_include.js'
/** No role grants anything on these models, and no undo writes them */
export { isExcludedFromInclude } from './resource/excluded_from_include.js'

/* Permissions by roles */

/** There is one source of permissions, the roles of the site; applications have `policy` and `scope` */
export { usePermissions } from './resource/permissions.js'
/** What that source implements */
export type { Permissions } from './resource/permissions.js'
/** What it returns for one role and model */
export type { Grant } from './resource/permissions.js'
/** Tests records against grants, whatever the actor can read */
export { reachedOf } from './operations/reach.js'

/* Lists */

/** Addresses of lists have a syntax of their own, of which the site makes requests; applications give `getMulti` options */
export { ListRequest } from './request/list_request.js'
/** The grammar of that syntax: the admin list translates its own parameters to the words of it */
export { readListWords } from './request/list_grammar.js'
/** These words */
export type { ListWords } from './request/list_grammar.js'
/** A part of them that both read: a number of rows or pages */
export { countIn } from './request/paging.js'
/** The paging of such a request */
export { pageOf } from './request/paging.js'
/** Reads records by conditions with scope and policy, without the hooks that `LucidCrud` has for applications */
export { Records } from './operations/records.js'
/** The number of a list's records; applications have `count` of `LucidCrud`, for filters alone */
export { countMatching } from './operations/lists/matching_keys.js'
/** The keys of all records of a list, for actions on all of them */
export { matchingKeys } from './operations/lists/matching_keys.js'
/** Exports of the site and of the API read lists in the same way, of which applications see the file */
export { listBatches } from './operations/lists/list_batches.js'
/** Divides a list for that, so that the database sorts it once */
export { orderedParts } from './operations/lists/ordered_parts.js'
/** *Previous* and *Next* of a record; the API has no such endpoint */
export { neighbours } from './operations/lists/neighbours.js'
/** The columns that can have facets; applications learn it from `countByValue`, which returns null */
export { countsValues } from './operations/lists/count_values.js'

/* Writes */

/** A bulk action, an import or a form with rows is one event; applications get theirs by transactions and `runAs` */
export { gatherWrites } from './events/write_scope.js'
/** Counts the records that an edit has changed within its transaction */
export { scopeOf } from './events/write_scope.js'
/** Roles are given to users by statements of the site, which the users' events report */
export { Pivots } from './events/pivots.js'
/** The same where the site knows the changes */
export { noteChanges } from './events/pivots.js'
/** For the removal of test records alone: events tell of most of them */
export { isWatched } from './events/watched.js'
/** Turns errors of the driver into problems where the site has a transaction of its own around `LucidCrud` */
export { errorToProblem } from './operations/writes/error_to_problem.js'
/** Limit of a many-to-many field, shown in the form before a write would exceed it */
export { MOST_RELATED } from './operations/related/related_writes.js'
/** What such a field sends: attached records, and what the user was shown */
export type { WantedRelated } from './operations/related/related_writes.js'
/** Columns of its pivot rows */
export type { PivotValues } from './operations/related/related_writes.js'
/** Names of what a deletion takes along are shown before it, and are limited by roles that only the site checks */
export { deletionEffects } from './operations/related/deletion_effects.js'
/** Up to this number they are counted, which the page says */
export { MOST_COUNTED } from './operations/related/deletion_effects.js'

/* Undo, which needs the log of the site */

/** The data to take a write back, as the log stores it */
export type { Reversal } from './events/reversal.js'
/** Makes them of a write's rows, which applications do not see: they hold hidden values */
export { reversalOf } from './events/reversal.js'
/** The operation that takes a write back, for the permission that it needs */
export { operationOf } from './operations/revert.js'
/** Checks references before the button is shown */
export { checkReverted } from './operations/revert.js'
/** The records of an event that were changed since */
export { recordsNotAsLeft } from './operations/writes/not_as_left.js'
/** Pivot rows come back after all records of an event */
export { revertPivots } from './operations/revert.js'
/** References within an event are written at last, without the hooks that ran with the records */
export { putExactly } from './operations/writes/put_exactly.js'
