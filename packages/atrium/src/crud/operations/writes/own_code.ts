import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Pivots } from '../../events/pivots.js'
import { forgetStoredRow } from '../../lucid/stored_rows.js'
import type { HookOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { runsMethods } from './write_path.js'

/** Calls `afterCreate` or `afterUpdate` if a subclass overrides it. It may change the row once more. */
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
 * The record's many-to-many relations before a write, for the comparison afterwards.
 *
 * @param isAttaching  true if the write itself changes them
 * @returns undefined if they cannot change: without overridden methods too
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
