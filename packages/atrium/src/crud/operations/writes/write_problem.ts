import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { errorToProblem } from './error_to_problem.js'
import type { Problem } from '#base/errors'
import { registeredByDeleted } from '#base/http/problems'
import { readCondition } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import { attributeToApi } from '#base/values/to_api'
import type { CallOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'

/**
 * The same as `errorToProblem`; a 409 names the deleted item that has the unique values, if the actor can see it.
 *
 * @param record  that was being written; undefined for a deletion
 */
export async function writeProblem(
  error: unknown,
  context: CrudContext,
  record: LucidRow | undefined,
  client: QueryClientContract,
  options: CallOptions
): Promise<Problem | undefined> {
  const problem = await errorToProblem(error, context.resource, record, client)
  const columns = problem && record ? uniqueColumnsOf(problem, context) : []
  if (!problem || columns.length === 0) return problem
  const deleted = await deletedHolder(columns, context, record!, client, options)
  if (!deleted) return problem
  const { key } = context.resource
  return registeredByDeleted(
    problem,
    Object.fromEntries(
      key.columns.map((column) => [column.apiName, attributeToApi(column, deleted)])
    )
  )
}

/** The columns of the violated constraint; none if the caller may not know all of them. */
function uniqueColumnsOf({ errors = [], status }: Problem, { resource }: CrudContext): Column[] {
  if (status !== 409 || !errors.every(({ rule }) => rule === 'unique')) return []
  const columns = errors.flatMap(
    ({ field }) => resource.fields.find(({ apiName }) => apiName === field) ?? []
  )
  const isWhole = [resource.key.columns.map(({ name }) => name), ...resource.wholeKeys].some(
    (names) => names.length === columns.length && columns.every(({ name }) => names.includes(name))
  )
  return isWhole ? columns : []
}

async function deletedHolder(
  columns: readonly Column[],
  { records, resource }: CrudContext,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<LucidRow | null> {
  const { key, showDeleted, softDelete } = resource
  if (!softDelete || !(options.showsDeleted ?? showDeleted)) return null
  if (key.columns.some(({ hidden }) => hidden)) return null
  const values = columns.map((column) => attributeToApi(column, record))
  if (values.some((value) => value === null || value === undefined)) return null
  const conditions = columns.map((column, index) =>
    readCondition(column, 'eq', String(values[index]))
  )
  const wanted = { conditions, deleted: 'only' as const }
  const found = records.byConditions(wanted, client, options)
  const [holder] = await records.reader.records(client, { ...found, limit: 1 })
  return holder && (await records.allows('read', options, holder)) ? holder : null
}
