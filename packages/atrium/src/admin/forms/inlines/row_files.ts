import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#base/items'
import type { Item } from '#crud'
import { dropFilesOf } from '../files/file_store.js'
import { sentFiles } from '../../http/form_texts.js'
import { isFileList } from '../files/file_fields.js'
import { FILE, LIST } from '../files/file_list_view.js'
import { storeForList } from '../files/uploads.js'
import { WaitingFiles } from '../files/waiting_files.js'
import { inputName, type FormField } from '../fields/form_field.js'
import type { Inline } from './inline.js'
import type { RowChange } from './inline_rows.js'
import type { SentRow } from './rows.js'

/**
 * Stores the uploaded files of a row, so that the form has them when it is shown again. The row then refers to them by
 * key, and has an error for each refused file.
 *
 * @param fields  fields of the row that the user can write
 */
export async function storeRowFiles(
  ctx: HttpContext,
  { name: relation, view }: Inline,
  fields: readonly FormField[],
  row: SentRow
): Promise<void> {
  const waiting = new WaitingFiles(ctx, view)
  for (const field of fields) {
    const input = inputName(field.name)
    const files =
      field.valueType === 'file' ? filesOf(ctx, `${relation}.${row.index}.${input}`) : []
    if (files.length === 0) continue
    const keys = isFileList(view, field.column) ? [...(row.texts.get(input + FILE) ?? [])] : []
    const refusals: string[] = []
    for (const file of files) {
      const outcome = await storeForList(waiting, view, field, file)
      if ('key' in outcome) keys.push(outcome.key)
      else refusals.push(`${file.clientName}: ${outcome.refusal}`)
    }
    if (keys.length > 0) row.texts.set(input + LIST, ['1']).set(input + FILE, keys)
    if (refusals.length === 0) continue
    row.errors.push({ field: field.name, rule: 'file', message: refusals.join('; ') })
  }
}

function filesOf(ctx: HttpContext, input: string): MultipartFile[] {
  return [sentFiles(ctx)[input] ?? []].flat().filter(({ clientName }) => clientName !== '')
}

/** Records the owner of a row's files after the form is saved, and removes the files that no row has any more. */
export async function settleRowFiles(
  { key, kind, rows, stored, uploads }: RowChange,
  created: Item | undefined
): Promise<void> {
  const { view } = rows.inline
  if (kind === 'delete') {
    const isLasting = stored!.removal === 'purge' || !view.resource.softDelete
    if (isLasting) await dropFilesOf(view, [stored!.record])
    return
  }
  const owner = key ?? (created && keyOf(created))
  if (owner) await uploads?.belongTo(owner)
  if (stored) await uploads?.dropReplaced(stored.record)
}
