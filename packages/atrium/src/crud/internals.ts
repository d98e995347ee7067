/*
 * The internal API: exports for the admin site and the host beyond the public ones. It only re-exports.
 * The base class of commands is in `commands/command.ts`, as a server does not load console code.
 */

/* Options of a view are checked, stored and merged with those of `@Crud` by the same code. */
export { checkOptions } from './checks.js'
export type { EndpointCreatorClass } from './crud_options.js'
export { crudOptionsOf } from './decorator.js'
export type { CrudConfig } from './define_config.js'
export { reportFaults } from './report_faults.js'
export { creatorOf } from './router.js'

/* The admin's own tables are read and written on every database, in transactions. */
export { faultToProblem } from './operations/writes/fault_to_problem.js'
export { AnswerExists, StoredAnswers } from './http/idempotency/stored_answers.js'

/* The endpoints below a view's `/crud` are the model's own, and the server knows its routes. */
export { originOf, unauthenticated } from './endpoints/access.js'
export { crudOf, settingsOf } from './endpoints/crud_object.js'
export type { EndpointMount } from './endpoints/endpoint_mount.js'
export type { LucidCrudClass } from './endpoints/endpoint_options.js'
export { accessWarnings } from './endpoints/public_writes.js'
export { isBelowPrefix } from './endpoints/generated_routes.js'
export { requireMount } from './mount/require_mount.js'
export { mountPart } from './mount/mounted_parts.js'

/* A bulk action is one write, whatever it changes. */
export {
  fromStored,
  isReadable,
  isStamp,
  type Lack,
  type Reversal,
  reversalOf,
} from './events/reversal.js'
export { identityOfKey } from './events/caused_writes.js'
export { losesSecrets, mergedPivots, withoutSecrets } from './events/pivot_change.js'
export { noteChanges, Pivots } from './events/pivots.js'
export { isWatched } from './events/watched.js'
export { gatherWrites, scopeOf, type WriteScope } from './events/write_scope.js'
export { isSameValue } from './events/write.js'

/* Pages send problems and assets, and read bodies and hosts, as the endpoints do. */
export { answerBudgetOf } from './http/answer_budget.js'
export { batchesStart, withStart } from './operations/lists/batches_start.js'
export { answerMissing, sendProblem } from './http/handle_problem.js'
export {
  leaveRefusal,
  noteRefusal,
  noteSubject,
  observeRefusals,
  type Refusal,
  subjectOf,
} from './http/refusals.js'

/* Models are found in the files of the application, and sessions read without luxon. */
export { modelFiles } from './lucid/model_files.js'

/* Lists, forms and exports go through the operations of the endpoints. */
export {
  MOST_RELATED,
  type PivotValues,
  type RelatedWrites,
  type WantedRelated,
} from './operations/related/related_writes.js'
export { putExactly } from './operations/writes/put_exactly.js'
export {
  checkReverted,
  operationOf,
  type RevertOptions,
  revertPivots,
} from './operations/revert.js'
export { removeAddedRows } from './operations/writes/revert_pivots.js'
export { recordsNotAsLeft } from './operations/writes/not_as_left.js'
export type { UpdateOptions, WriteOptions } from './operations/call_options.js'
export { holdsFiles, noteFileColumns } from './operations/writes/check_files.js'
export { countsValues, type ValueCount } from './operations/lists/count_values.js'
export {
  type DeletionEffect,
  deletionEffects,
  type Effect,
  MOST_COUNTED,
} from './operations/related/deletion_effects.js'
export { isUnreadable, keyOf, noteKey } from './operations/item_keys.js'
export { fullItemOf, notePart } from './operations/item_parts.js'
export { listBatches } from './operations/lists/list_batches.js'
export { orderedParts } from './operations/lists/ordered_parts.js'
export { beginSnapshot, type Snapshot } from './operations/lists/snapshot.js'
export type { ListResult } from './operations/lists/list_result.js'
export { countMatching, matchingKeys } from './operations/lists/matching_keys.js'
export { neighbours } from './operations/lists/neighbours.js'
export { OPERATIONS } from './operations/operation.js'
export { identityOf, reachedOf } from './operations/reach.js'
export { Records, type Located } from './operations/records.js'
export type { Unstored } from './operations/writes/unstored.js'

/* A list of the site is the same typed request as a list of the API. */
export { type Extent, ListRequest } from './request/list_request.js'
export { pageOf } from './request/paging.js'

/* A resource describes a model. */
export { PivotRelation, pivotRelationOf, pivotRelationsOf } from './resource/pivot_relation.js'
export { parseFilterName } from './resource/filter_config.js'
export { knownResources, Resource } from './resource/resource.js'
export { excludeFromInclude, isExcludedFromInclude } from './resource/excluded_from_include.js'

/* The admin decides permissions by roles. */
export {
  type GovernedModel,
  type Grant,
  type GrantedOperation,
  type Permissions,
  usePermissions,
} from './resource/permissions.js'
export { versionOf } from './resource/version.js'

/* Forms are made from the schemas that check them. */

/* Pages show a loaded record in the form of a response. */
export { type ExtraColumn, Reader } from './sql/reader.js'

/* Fields and cells read and write values as the API does. */
