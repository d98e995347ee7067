import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { plainText } from '../../text/plain_text.js'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import { imageType, INLINE, showsImages, THUMBNAIL } from './file_fields.js'
import { isFileKey, senderNameOf } from './file_owners.js'
import { WaitingFiles } from './waiting_files.js'

/** Maximum length of a file name in pages */
const LONGEST_SHOWN_NAME = 80

/**
 * Returns the label of a file whose original name is unknown or would need a read per file: the label of the field
 * with the file's extension.
 *
 * @param file  key of the file
 */
export function labelOfFile(view: ModelView, apiName: string, file: string): string {
  return view.labelOf(apiName) + extname(file)
}

/**
 * Returns the original name of a file, otherwise the label of the field with the extension.
 *
 * @param file    key of the file
 * @param record  key of the shown record; the name of another record's file is not revealed
 */
export async function nameOfFile(
  view: ModelView,
  apiName: string,
  file: string,
  record: KeyValue
): Promise<string> {
  const name = await senderNameOf(view, file, record)
  return name === undefined
    ? labelOfFile(view, apiName, file)
    : plainText(name, LONGEST_SHOWN_NAME).text
}

/** A file as a form shows it */
export interface ShownFile {
  key: string
  name: string
  /** Undefined for a file that belongs to no record yet */
  url?: string
  /** URL of the preview, for an image */
  image?: string
}

/** The parts of a field that determine how its files are shown */
type FileField = Pick<FormField, 'multiple' | 'name' | 'valueType'> & { widget: unknown }

/**
 * Returns name and URLs of the stored file of a form field; undefined if there is none to show.
 *
 * @param texts   texts of the field in the stored record
 * @param record  key of the record
 */
export async function shownFile(
  ctx: HttpContext,
  view: ModelView,
  field: FileField,
  [key]: readonly string[] = [],
  record?: KeyValue
): Promise<ShownFile | undefined> {
  if (field.valueType !== 'file' || field.multiple || !isFileKey(key)) return undefined
  return (await view.isVisibleTo(ctx)) ? await storedFile(view, field, key, record) : undefined
}

async function storedFile(view: ModelView, field: FileField, key: string, record?: KeyValue) {
  const { name, multiple } = field
  const url = view.url(`/files/${key}`)
  const isImage = showsImages(field) && imageType(key) !== undefined
  return {
    key,
    name: record ? await nameOfFile(view, name, key, record) : labelOfFile(view, name, key),
    url,
    ...(isImage && { image: `${url}?${multiple ? THUMBNAIL : INLINE}` }),
  }
}

/**
 * Returns the files of a list: those of the record, and those that the user has uploaded but not saved yet. Other texts
 * are left out.
 *
 * @param keys    keys of the files, in order
 * @param stored  keys of the record's files
 * @param record  key of the record
 */
export async function shownFiles(
  ctx: HttpContext,
  view: ModelView,
  field: FileField,
  keys: readonly string[],
  stored: readonly string[] = [],
  record?: KeyValue
): Promise<ShownFile[]> {
  const waiting = new WaitingFiles(ctx, view)
  const isVisible = await view.isVisibleTo(ctx)
  const files = keys.filter(isFileKey).map(async (key): Promise<ShownFile | undefined> => {
    if (stored.includes(key) && isVisible) return await storedFile(view, field, key, record)
    const upload = await waiting.find(key)
    return upload && { key, name: plainText(upload.name, LONGEST_SHOWN_NAME).text }
  })
  const shown = await Promise.all(files)
  return shown.filter((file) => file !== undefined)
}
