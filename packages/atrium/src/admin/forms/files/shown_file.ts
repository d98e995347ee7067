import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../model_view.js'
import { plainText } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { imageType, INLINE } from './file_fields.js'
import { senderNameOf, isFileKey } from './file_store.js'

/** Characters of a file's name that are shown */
const LONGEST_NAME = 80

/**
 * What a stored file is called where its original name is not known or would take a read for each file: the label
 * of its field with the file's extension.
 *
 * @param file  its key
 */
export function labelOfFile(view: ModelView, apiName: string, file: string): string {
  return view.labelOf(apiName) + extname(file)
}

/**
 * The name that a file had when it was uploaded, else the label of its field with the extension.
 *
 * @param file    its key
 * @param record  key of the record that is shown: another one's file keeps its name to itself
 */
export async function nameOfFile(
  view: ModelView,
  apiName: string,
  file: string,
  record: KeyValue
): Promise<string> {
  const name = await senderNameOf(view, file, record)
  return name === undefined ? labelOfFile(view, apiName, file) : plainText(name, LONGEST_NAME).text
}

/**
 * The stored file of a form's field: its name and addresses; undefined where there is none to show.
 *
 * @param texts   of the stored record
 * @param record  key of the record
 */
export async function shownFile(
  ctx: HttpContext,
  view: ModelView,
  { name, valueType, widget }: FormField,
  [key]: readonly string[] = [],
  record?: KeyValue
): Promise<{ name: string; url: string; image?: string } | undefined> {
  if (valueType !== 'file' || !isFileKey(key) || !(await view.isVisibleTo(ctx))) return undefined
  const url = view.url(`/files/${key}`)
  const isShown = widget === 'image' && imageType(key) !== undefined
  return {
    name: record ? await nameOfFile(view, name, key, record) : labelOfFile(view, name, key),
    url,
    ...(isShown && { image: `${url}?${INLINE}` }),
  }
}
