import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Pivots } from '../../events/pivots.js'
import { forgetStoredRow } from '../../lucid/stored_rows.js'
import type { HookOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { runsMethods } from './write_path.js'

/** Calls `afterCreate` or `afterUpdate` if a subclass overrides it. The method can change the row again. */
export async function callAfter(
  { methods, overrides }: CrudContext,
  method: 'afterCreate' | 'afterUpdate',
  record: LucidRow,
  values: Record<string, unknown>,
  options: HookOptions
): Promise<void> {
  if (!overrides(method)) return
  await methods[method](record, values, options)
  forgetStoredRow(record)
}

/**
 * Reads the many-to-many relations of a record before a write, for the comparison after it.
 *
 * @param isAttaching  true if the write itself changes the relations
 * @returns undefined if the relations cannot change: the write does not change them, and no application code runs
 */
export async function pivotsBefore(
  context: CrudContext,
  action: 'create' | 'update',
  record: LucidRow,
  isAttaching: boolean
): Promise<Pivots | undefined> {
  const mayChange = isAttaching || runsMethods(context, action)
  const isNew = action === 'create'
  return mayChange ? await Pivots.of(context.resource, record, { isNew }) : undefined
}
