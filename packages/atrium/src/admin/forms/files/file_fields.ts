import { open } from 'node:fs/promises'
import string from '@adonisjs/core/helpers/string'
import type { Column } from '#base/columns/column'
import { isFileType } from '#base/schema/object_schema'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'

/* Number of bytes to read to detect the type, as a PDF may have other bytes before its signature */
const START = 4096

type Check = (start: Buffer) => boolean

const begins =
  (...marks: Array<string | readonly number[]>): Check =>
  (start) =>
    marks.some((mark) => {
      const bytes = Buffer.from(mark as string, 'latin1')
      return start.subarray(0, bytes.length).equals(bytes)
    })

const has = (offset: number, ...marks: string[]): Check => {
  return (start) =>
    marks.some((mark) => start.toString('latin1', offset, offset + mark.length) === mark)
}

const RIFF = begins('RIFF')
const WEBP = has(8, 'WEBP')
/* Office documents before Office 2007 */
const OLE = begins([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
/* ZIP archives, such as office documents since Office 2007; the second signature is that of an empty archive */
const ZIP = begins('PK\u0003\u0004', 'PK\u0005\u0006')
const UTF16 = begins([0xff, 0xfe], [0xfe, 0xff])
const TEXT: Check = (start) => !start.includes(0) || UTF16(start)

/** Checks of the content, by extension */
const CONTENT: Readonly<Record<string, Check>> = {
  png: begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  jpg: begins([0xff, 0xd8, 0xff]),
  jpeg: begins([0xff, 0xd8, 0xff]),
  gif: begins('GIF87a', 'GIF89a'),
  webp: (start) => RIFF(start) && WEBP(start),
  avif: has(4, 'ftypavif', 'ftypavis', 'ftypmif1'),
  heic: has(4, 'ftyphei', 'ftypmif1', 'ftypmsf1'),
  bmp: begins('BM'),
  tif: begins('II*\0', 'MM\0*'),
  tiff: begins('II*\0', 'MM\0*'),
  pdf: (start) => start.subarray(0, 1024).includes('%PDF-'),
  docx: ZIP,
  xlsx: ZIP,
  pptx: ZIP,
  odt: ZIP,
  ods: ZIP,
  odp: ZIP,
  doc: OLE,
  xls: OLE,
  ppt: OLE,
  rtf: begins('{\\rtf'),
  txt: TEXT,
  md: TEXT,
  csv: TEXT,
  tsv: TEXT,
  zip: ZIP,
}

/**
 * Extensions that a field accepts by default: images, PDF, office documents, texts, CSV and ZIP. SVG drawings, HTML
 * pages and scripts must be allowed explicitly.
 */
export const DEFAULT_TYPES: readonly string[] = Object.keys(CONTENT)

/** Returns the extension of a file name in lower case, without the dot; empty if there is none. */
export function extensionIn(clientName: string): string {
  return /[^.]\.([a-z0-9]{1,8})$/.exec(clientName.toLowerCase())?.[1] ?? ''
}

/**
 * Returns true if the content of a file matches its extension, or if there is no check for the extension.
 *
 * @param path  path of the file
 */
export async function isOfType(path: string, extension: string): Promise<boolean> {
  const check = Object.hasOwn(CONTENT, extension) ? CONTENT[extension] : undefined
  if (!check) return true
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(START), position: 0 })
    return check(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Content types of safe images, by extension; SVG is excluded, as it could run scripts. */
const IMAGE_TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
])

/** Value of the attribute `accept` of an input for images */
const IMAGES = [...new Set(IMAGE_TYPES.values())].join()

/** Query parameter of a file's URL to show the file inline */
export const INLINE = 'inline'

/** Query parameter of a file's URL to show a small image of it */
export const THUMBNAIL = 'thumbnail'

/**
 * Returns the content type of a stored image that a page may show; undefined for other files.
 *
 * @param key  key of the file, with its extension
 */
export function imageType(key: string): string | undefined {
  return IMAGE_TYPES.get(key.slice(key.lastIndexOf('.') + 1))
}

export const NO_IMAGE = 'must be an image: png, jpeg, gif, webp or avif'

/**
 * Returns true if an uploaded file is an image by its name and, if the type of the content was detected, by its
 * content.
 */
export function isImageFile({
  clientName,
  extname,
}: {
  clientName: string
  extname?: string
}): boolean {
  return [clientName.toLowerCase(), `.${extname ?? 'png'}`].every(
    (name) => name.includes('.') && imageType(name) !== undefined
  )
}

/**
 * Returns the columns with keys of stored files: those with `vine.file()` or `vine.array(vine.file())` in a schema, or
 * with a file widget. The view's resource must be loaded.
 */
export function fileColumnsOf(view: ModelView): Column[] {
  const types = typesInSchemas(view)
  return view.resource.columns.visible.filter((column) => holdsFile(view, column, types))
}

/** Returns the schema types of the file fields, by column. */
function typesInSchemas({ resource }: ModelView): Map<Column | undefined, string> {
  const { createBody, updateBody } = resource.base
  const fields = [...createBody.fields, ...updateBody.fields].filter(({ type }) => isFileType(type))
  return new Map(fields.map(({ column, type }) => [column, type]))
}

function holdsFile({ options }: ModelView, column: Column, types: ReadonlyMap<unknown, string>) {
  return types.has(column) || isFileWidget(options.fields?.[column.apiName]?.widget)
}

/** Returns true if a widget uploads files. */
export function isFileWidget(widget: unknown): boolean {
  return widget === 'file' || widget === 'image'
}

/** Returns true if the field uploads one or several files. */
export function isFileField(view: ModelView, apiName: string): boolean {
  const column = view.resource.columns.visible.find((one) => one.apiName === apiName)
  return column !== undefined && holdsFile(view, column, typesInSchemas(view))
}

/** Returns true if a column contains a list of files: a JSON column, unless a schema declares a single file. */
export function isFileList(view: ModelView, column: Column | undefined): boolean {
  if (column?.kind !== 'json') return false
  const types = typesInSchemas(view)
  return holdsFile(view, column, types) && types.get(column) !== 'multipartFile'
}

/** Returns true if previews of a field's images are shown: those of the widget `image`, and those in a list. */
export function showsImages({ widget, multiple }: { widget: unknown; multiple: boolean }): boolean {
  return multiple || widget === 'image'
}

/** Maximum number of files in a list whose schema has no `maxLength` */
export const MOST_FILES = 100

/** Returns the attributes of the input of a single file: which files it offers. */
export function fileAttributes(widget: unknown): Record<string, string> {
  return widget === 'image' ? { accept: IMAGES } : {}
}

/**
 * Returns the attributes of the input of a list: which files it offers, and its limits.
 *
 * @param most  maximum number of files
 */
export function fileListAttributes(
  widget: unknown,
  { extnames, size }: NonNullable<FormField['fileLimits']>,
  most: number
): Record<string, string | number> {
  return {
    ...(extnames && { accept: extnames.map((one) => `.${one}`).join() }),
    ...fileAttributes(widget),
    ...(size !== undefined && { 'data-most-bytes': string.bytes.parse(size) ?? '' }),
    'data-most-files': most,
  }
}

/**
 * Returns a field with a single file as a list of one, which uploads its file before the form is saved; other fields
 * unchanged.
 */
export function asFileList(field: FormField): FormField {
  const { fileLimits = {}, multiple, valueType, widget } = field
  if (valueType !== 'file' || multiple || !isFileWidget(widget)) return field
  return { ...field, multiple: true, attributes: fileListAttributes(widget, fileLimits, 1) }
}
