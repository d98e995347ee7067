import { ExportRefused } from '../errors.js'
import { columnsWritten } from '../list/columns/column_choices.js'
import { ALL_FIELDS } from './export_choice.js'

type Texts = ReadonlyMap<string, readonly string[]>

const SENT = ['format', 'titles', 'labels', 'bom', 'raw'] as const

/**
 * The query of an export, from the dialog's form.
 */
export function exportInForm(texts: Texts): string {
  const last = (name: string) => texts.get(name)?.at(-1)
  const query = new URLSearchParams(last('query') ?? '')
  for (const name of SENT) {
    query.delete(name)
    const text = last(name)
    if (text !== undefined) query.set(name, text)
  }
  const mode = last('columns')
  if (mode === 'all') query.set('columns', ALL_FIELDS)
  if (mode === 'chosen') {
    const chosen = texts.get('chosen') ?? []
    query.delete('columns')
    for (const text of columnsWritten(chosen)) query.append('columns', text)
  }
  return query.toString()
}

/**
 * @throws ExportRefused  where no column is chosen
 */
export function checkColumns(texts: Texts): void {
  const isNone = texts.get('columns')?.at(-1) === 'chosen' && !texts.get('chosen')?.length
  if (isNone) throw new ExportRefused('export.fault.noColumns')
}
