/*
 * The internal API: exports for the admin site and the host beyond the public ones. It only re-exports.
 * The base class of commands is in `commands/command.ts`, as a server does not load console code.
 */

/* Options of a view are checked, stored and merged with those of `@Crud` by the same code. */
export { checkOptions } from './checks.js'
export type { EndpointCreatorClass } from './crud_options.js'
export { crudOptionsOf } from './decorator.js'
export type { CrudConfig } from './define_config.js'
export {
  IntegerTooLong,
  listed,
  RecordNotAsLeft,
  shown,
  UnknownKey,
  UnreadableFilter,
  type FieldError,
  type FilterValueFault,
} from './errors.js'
export {
  ANY,
  type Check,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  LABEL,
  OBJECT,
  PATH,
  POSITIVE,
  SECONDS,
  TEXT,
  TEXTS,
  TRUTH,
} from './checks.js'
export { reportFaults } from './report_faults.js'
export { creatorOf } from './router.js'
export { type Counters, counters, countersIn, useCounters } from './counters.js'
export { isExternalActor } from './actor.js'
export type { AdminActor, Origin, SystemActor } from './types.js'

/* The admin's own tables are read and written on every database, in transactions. */
export type { RunSql } from './database/bare_transaction.js'
export type { Sql } from './sql/sql.js'
export { dialectOf } from './database/dialects.js'
export { type PivotTable, pivotTableOf } from './database/pivot_table.js'
export { faultToProblem } from './database/fault_to_problem.js'
export { whileLocked } from './database/migration_lock.js'
export { OutOfTime, withinTime } from './database/time_limit.js'
export { afterOutermostCommit } from './database/outermost_commit.js'
export { AnswerExists, StoredAnswers } from './http/idempotency/stored_answers.js'
export { inSharedTransaction } from './database/shared_transaction.js'
export { inSnapshot, inTransaction } from './database/transaction.js'
export { unavailability } from './database/unavailable.js'
export { readersOf } from './database/sqlite/sqlite_connection.js'

/* The endpoints below a view's `/crud` are the model's own, and the server knows its routes. */
export { originOf, unauthenticated } from './endpoints/access.js'
export { crudOf, settingsOf } from './endpoints/crud_object.js'
export type { EndpointMount } from './endpoints/endpoint_mount.js'
export type { LucidCrudClass } from './endpoints/endpoint_options.js'
export { accessWarnings } from './endpoints/public_writes.js'
export { isBelowPrefix } from './endpoints/generated_routes.js'
export { requireMount } from './mount/require_mount.js'
export { engineRouter } from './mount/engine_router.js'
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
export { engineFile, engineMigration, migrationsPath, pendingMigrations } from './engine_file.js'
export { AssetStore } from './http/asset_store.js'
export { bestEncoding, type Encoding } from './http/best_encoding.js'
export { readBody } from './http/body.js'
export { takeExportSlot } from './http/export_slots.js'
export { batchesStart, withStart } from './operations/lists/batches_start.js'
export { isCrossSite, isForeignLink, isForgery } from './http/cross_site.js'
export { matchesStrongly, parseTags, type TagCondition } from './http/etag.js'
export { answerMissing, sendProblem } from './http/handle_problem.js'
export { networkOf } from './http/network.js'
export {
  abilityMissing,
  alreadyRegistered,
  fieldsReadOnly,
  invalidBody,
  missingReference,
  stillReferredTo,
  unavailable,
  withheldEndpoint,
} from './http/problems.js'
export { CONTENT_SECURITY_POLICY } from './http/security_headers.js'
export { sendAsset } from './http/send_asset.js'
export {
  leaveRefusal,
  noteRefusal,
  noteSubject,
  observeRefusals,
  type Refusal,
  subjectOf,
} from './http/refusals.js'
export { serveUnderAnyName } from './http/served_hosts.js'
export { toProblem } from './http/to_problem.js'

/* Models are found in the files of the application, and sessions read without luxon. */
export { withQuickMoments } from './lucid/lucid_moments.js'
export { modelFiles } from './lucid/model_files.js'
export { hasForeignHook, markOwnHook } from './lucid/own_hooks.js'

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
export { endLongTurn } from './operations/event_loop.js'
export { requestsFirst } from './operations/requests_first.js'
export { Records, type Located } from './operations/records.js'
export type { Unstored } from './operations/writes/unstored.js'

/* A list of the site is the same typed request as a list of the API. */
export { type Condition, readCondition, splitList } from './request/condition.js'
export { fieldNames, type Fields, selectFields } from './request/fields.js'
export { type Extent, ListRequest } from './request/list_request.js'
export { pageOf } from './request/paging.js'
export type { Sort } from './request/sort.js'

export { operatorsOf, type Operator } from './request/operators.js'

/* A resource describes a model. */
export type { Column } from './resource/column.js'
export type { ColumnIntrospection } from './database/introspection.js'
export { PivotRelation, pivotRelationOf, pivotRelationsOf } from './resource/pivot_relation.js'
export { parseFilterName } from './resource/filter_config.js'
export type { ColumnKind } from './resource/column_kind.js'
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
export type { Key, KeyValue } from './resource/key.js'
export { type DeletedMode, now } from './resource/soft_delete.js'
export { type LazyOptions, storedOptions, storeOptions } from './resource/stored_options.js'
export { versionOf } from './resource/version.js'

/* Forms are made from the schemas that check them. */
export type { BodyField, BodySchema } from './schema/body_schema.js'
export { parseUpdate, type StoredValues } from './schema/parse_update.js'
export {
  CompiledSchema,
  type JsonSchema,
  type ObjectSchema,
  type SchemaRule,
} from './schema/object_schema.js'

/* Pages show a loaded record in the form of a response. */
export { type ExtraColumn, Reader } from './sql/reader.js'

/* Fields and cells read and write values as the API does. */
export { inUtc, readDate, readDateTime, readTime } from './values/datetime.js'
export { escapeFormula, unescapeFormula } from './values/formula.js'
export { fromQuery, readUuid } from './values/from_query.js'
export {
  isDeeper,
  MOST_DIGITS,
  numberOrDigits,
  parseJson,
  withoutBigInts,
  writeJson,
} from './values/json.js'
export {
  decimalPlaces,
  exactInteger,
  isBeyondDecimal,
  readNumber,
  writeNumeral,
} from './values/numbers.js'
export { exactDecimal } from './database/exact_numbers.js'
export { isStorableText } from './values/text.js'
export { ANY as ANY_CHARACTERS, patternFault, type TextPattern } from './values/text_pattern.js'
export { attributeToApi, serializerOf, toApi } from './values/to_api.js'
export { mapInTurns, nextEventLoopTurn } from './operations/event_loop.js'
