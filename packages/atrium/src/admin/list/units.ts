import type { ModelView } from '../model_view.js'
import type { ShownCell } from './cell.js'

/* Signs that are at a number without a space: `$5`, `80%` */
const CLOSE = /^[^\p{L}\p{N}]*$/u

const UNBREAKING = '\u00a0'

/**
 * The cell of a column with the column's `prefix` and `suffix` around its value, as in the box of its input; one
 * that a widget shows has units of its own.
 *
 * @param name  API name
 */
export function withUnits(view: ModelView, name: string, cell: ShownCell): ShownCell {
  const { prefix, suffix } = view.fieldOptions(name)
  const isPlain = cell.kind === 'number' || cell.kind === 'text'
  const { markup, href, whole } = cell
  if (!isPlain || (markup ?? href ?? whole) !== undefined || !(prefix || suffix)) return cell
  const before = prefix ? prefix + spaceAt(prefix) : ''
  const after = suffix ? spaceAt(suffix) + suffix : ''
  return { ...cell, text: before + cell.text + after }
}

function spaceAt(unit: string): string {
  return CLOSE.test(unit) ? '' : UNBREAKING
}
