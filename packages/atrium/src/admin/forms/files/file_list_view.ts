import string from '@adonisjs/core/helpers/string'
import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { type FormField, inputName } from '../fields/form_field.js'
import type { FormMode } from '../fields/form_fields.js'
import { isFileList, imageType, INLINE, showsImages, THUMBNAIL } from './file_fields.js'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import { extname } from 'node:path'
import { plainText } from '../../text/plain_text.js'
import { isFileKey, senderNameOf } from './file_owners.js'
import { WaitingFiles } from './waiting_files.js'

/** A file of a list, as the template of the field shows it */
interface ListedFile extends ShownFile {
  /** Extension, for a file without a preview */
  type: string
  isRemoved: boolean
}

/** Variables of the template of a list of files */
export interface FileListView {
  items: ListedFile[]
  /** True for a single file, which a new one replaces */
  isOne: boolean
  /** Names of the inputs; `list` is undefined if the stored files are not shown */
  names: { list: string | undefined; file: string; place: string; remove: string }
  /** URL that stores a file before the form is saved */
  upload: string
  /** Limits of the field, in words */
  limit: string
  /** Texts of the script, as JSON */
  texts: string
}

interface FileListState {
  /** Name of the input */
  name: string
  /** Keys of the files in the form */
  values: readonly string[]
  /** Keys of the record's files; undefined in a create form */
  stored: readonly string[] | undefined
  record: KeyValue | undefined
}

const TEXTS = [
  'up',
  'down',
  'remove',
  'keep',
  'retry',
  'moved',
  'removed',
  'dropped',
  'kept',
  'stored',
  'sending',
  'failed',
  'tooLarge',
  'tooMany',
  'wait',
] as const

/** Returns the current files of a field, followed by the record's files that are to be removed. */
export async function fileListView(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  field: FormField,
  { name, values, stored: before, record }: FileListState
): Promise<FileListView> {
  const stored = before ?? []
  const removed = stored.filter((key) => !values.includes(key))
  const keys = field.hidden ? values : [...values, ...removed]
  const files = await shownFiles(ctx, view, field, keys, stored, record)
  const mode: FormMode = before === undefined ? 'create' : 'update'
  return {
    items: files.map((file) => ({
      ...file,
      type: file.key.slice(33),
      isRemoved: removed.includes(file.key),
    })),
    isOne: field.attributes['data-most-files'] === 1 && !isFileList(view, field.column),
    names: {
      list: field.hidden ? undefined : name + LIST,
      file: name + FILE,
      place: name + PLACE,
      remove: name + REMOVE,
    },
    upload: view.url(`/uploads/${encodeURIComponent(field.name)}?form=${mode}`),
    limit: limitOf(site, field),
    texts: JSON.stringify(textsOf(site)),
  }
}

function limitOf(site: Site, { attributes }: FormField): string {
  const most = attributes['data-most-files']
  const bytes = attributes['data-most-bytes']
  if (bytes === undefined) return site.text('files.most', { most })
  return site.text('files.mostBytes', {
    most,
    size: string.bytes.format(Number(bytes), { unitSeparator: ' ' }),
  })
}

/** Returns the texts of the script, with placeholders such as `{name}`, which the script replaces. */
function textsOf(site: Site): Record<string, string> {
  const names = { name: '{name}', place: '{place}', most: '{most}' }
  return Object.fromEntries(TEXTS.map((key) => [key, site.text(`files.script.${key}`, names)]))
}

/** A submitted list of files. */
export interface SentFileList {
  /** Keys of stored files, in order */
  keys: string[]
  /** False if the files are added to those of the record */
  isWhole: boolean
  /** Uploaded files, which are not stored yet */
  added: readonly MultipartFile[]
}

/**
 * Suffixes of the inputs of a list: a mark that the form contains the whole list, and for each file its key, its
 * position and a checkbox that removes it
 */
export const LIST = '__list'
export const FILE = '__file'
const PLACE = '__place'
const REMOVE = '__remove'

interface ReadLists {
  fileLists: Map<string, SentFileList>
  shown: Record<string, string[]>
}

/**
 * Adds the list of a field to `fileLists` and `shown`: the files of the form in the order of their positions, then the
 * uploaded files. A request without the whole list only adds files.
 */
export function readFileList(
  { hidden, name }: Pick<FormField, 'hidden' | 'name'>,
  added: readonly MultipartFile[],
  sent: ReadonlyMap<string, readonly string[]>,
  { fileLists, shown }: ReadLists
): void {
  const input = inputName(name)
  const isListed = sent.has(input + LIST)
  if (!isListed && added.length === 0) return
  const keys = isListed ? keysInOrder(input, sent) : []
  shown[name] = keys
  /* The form contains no files of a hidden field, so new ones replace them, like a single file. */
  fileLists.set(name, { keys, isWhole: isListed || hidden, added })
}

function keysInOrder(input: string, sent: ReadonlyMap<string, readonly string[]>): string[] {
  const places = sent.get(input + PLACE) ?? []
  const removed = new Set(sent.get(input + REMOVE))
  return [...new Set(sent.get(input + FILE))]
    .map((key, index) => ({ key, place: placeIn(places[index], index) }))
    .filter(({ key }) => !removed.has(key))
    .toSorted((one, other) => one.place - other.place)
    .map(({ key }) => key)
}

/**
 * Returns the sort position of a file. A file that was moved to the number of another file is placed before or after
 * that file, depending on the direction of the move.
 */
function placeIn(text: string | undefined, index: number): number {
  const place = Number.parseFloat(text ?? '')
  return Number.isNaN(place) ? index + 1 : place + Math.sign(place - index - 1) / 2
}

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
