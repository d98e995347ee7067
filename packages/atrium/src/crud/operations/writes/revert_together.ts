import { fromStored } from '#base/values/stored_json'
import { writtenColumns, type Reversal } from '../../events/reversal.js'
import { PlainRows } from '../../lucid/plain_rows.js'
import { plainValues } from '../../lucid/direct_writes.js'
import type { KeyValue } from '#base/columns/key'
import type { CrudContext } from '../crud_context.js'
import { operationOf, type RevertOptions } from '../revert.js'
import { areStoredPlainly } from './plain_create.js'
import { addChange, updateRows, type RowChange } from './update_rows.js'

/** Puts items back, many with one statement. See `LucidCrud.revertTogether`. */
export async function revertTogether(
  context: CrudContext,
  all: ReadonlyArray<{ key: KeyValue; reversal: Reversal }>,
  options: RevertOptions & Required<Pick<RevertOptions, 'whole'>>
): Promise<boolean> {
  const { overrides, resource } = context
  const { whole } = options
  await resource.load(whole)
  if (overrides('revert') || overrides('prepareDelete')) return false
  if (!resource.reader.answersPlainly) return false
  if (!(await areStoredPlainly(context, whole, options, 'update'))) return false
  const stamps = new PlainRows(resource, whole).stampsOfUpdate()
  if (!stamps) return false
  const columns = writtenColumns(resource).filter((column) => !resource.isStamp(column))
  const changes: RowChange[] = []
  for (const { key, reversal } of all) {
    if (!resource.permits(operationOf(resource, reversal))) return false
    const before = reversal.before!
    const changed = columns.filter(({ name }) => name in before)
    if (changed.length === 0) return false
    const values = Object.fromEntries(changed.map(({ name }) => [name, fromStored(before[name])]))
    const isPlain = addChange(changes, key, values, (one) => plainValues({ ...one, ...stamps }))
    if (!isPlain) return false
  }
  await updateRows(context, changes, whole, options, 'include')
  return true
}
