import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import { sentFiles, sentTexts } from '../../http/form_texts.js'
import { inputName, type FormField } from '../fields/form_field.js'
import { valueOf } from '../fields/field_texts.js'
import type { FormMode } from '../fields/form_fields.js'
import { Widget } from '../../views/widget.js'
import { isImageFile, NO_IMAGE } from '../files/file_fields.js'
import { readFileList, type SentFileList } from '../files/file_list_view.js'
import type { FieldError } from '#base/errors'
import type { SentRows } from '../inlines/rows.js'
import { UnreadableText } from '../../text/errors.js'

/** Suffix of the checkbox that clears a field. */
export const CLEAR = '__clear'

/**
 * A submitted form.
 */
export interface Submission {
  /** Values for `BodySchema.parse`, by API name, without files */
  values: Record<string, unknown>
  /** True if the submission contains a value, a file or a field to clear */
  supplied: boolean
  /** Submitted texts by API name */
  shown: Record<string, string[]>
  /** Names of the fields to clear */
  cleared: ReadonlySet<string>
  /** Uploaded files of fields with a single file, by API name */
  files: Map<string, MultipartFile>
  /** Fields with a list of files, by API name */
  fileLists: Map<string, SentFileList>
  /** Errors of fields that could not be parsed */
  errors: FieldError[]
  /** True if a button of a widget was pressed that renders the form again without saving */
  rerenders: boolean
  /** Names of the fields that are hidden by `visibleWhen` for the submitted values */
  unseen?: ReadonlySet<string>
  /** Inline rows, by the name of their relation */
  rows?: ReadonlyMap<string, SentRows>
}

/**
 * Parses a form. In create forms, texts are not trimmed, and empty fields are left out so that defaults apply. In
 * update forms, texts are trimmed, and empty fields are left out as well, as only the field's checkbox clears it.
 */
export async function readSubmission(
  fields: readonly FormField[],
  ctx: HttpContext,
  mode: FormMode
): Promise<Submission> {
  const files = sentFiles(ctx)
  const filesOf = (name: string) => [files[inputName(name)] ?? []].flat()
  return submissionOf(fields, sentTexts(ctx), mode, filesOf)
}

/**
 * Like `readSubmission`, for texts from elsewhere, such as those of an inline row.
 *
 * @param sent     texts by input name
 * @param filesOf  returns the uploaded files of a field
 */
export function submissionOf(
  fields: readonly FormField[],
  sent: ReadonlyMap<string, readonly string[]>,
  mode: FormMode,
  filesOf: (name: string) => MultipartFile[] = () => []
): Submission {
  const submission: Submission = {
    values: {},
    supplied: false,
    shown: {},
    cleared: new Set(
      fields.filter((field) => isCleared(field, sent, mode)).map(({ name }) => name)
    ),
    files: new Map(),
    fileLists: new Map(),
    errors: [],
    rerenders: fields.some(
      ({ name, widget }) => widget instanceof Widget && widget.rerenders?.(inputName(name), sent)
    ),
  }
  for (const field of fields) {
    const texts = textsSent(field, sent).map((text) => text.replace(/\r\n?/g, '\n'))
    if (texts.length > 0 && field.valueType !== 'file') submission.shown[field.name] = texts
    if (submission.cleared.has(field.name)) {
      submission.values[field.name] = field.emptied
    } else if (field.valueType === 'file' && !(field.widget instanceof Widget)) {
      const files = filesOf(field.name).filter(({ clientName }) => clientName !== '')
      if (field.multiple) readFileList(field, files, sent, submission)
      else if (files.length > 0) readFile(field, files[0], submission)
    } else {
      readField(field, withoutEmpty(texts, mode), submission)
    }
  }
  const { values, cleared, files, fileLists, errors } = submission
  const isFile = files.size > 0 || fileLists.size > 0
  submission.supplied =
    Object.keys(values).length > 0 || cleared.size > 0 || isFile || errors.length > 0
  return submission
}

/**
 * Returns the submission without the values of the fields in `unseen`. Their texts are preserved, in case the form is
 * shown again.
 */
export function withoutUnseen(submission: Submission, unseen: ReadonlySet<string>): Submission {
  if (unseen.size === 0) return submission
  const { values, cleared, files, fileLists, errors } = submission
  return {
    ...submission,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !unseen.has(name))),
    cleared: new Set([...cleared].filter((name) => !unseen.has(name))),
    files: new Map([...files].filter(([name]) => !unseen.has(name))),
    fileLists: new Map([...fileLists].filter(([name]) => !unseen.has(name))),
    errors: errors.filter(({ field }) => !unseen.has(field)),
    unseen,
  }
}

function textsSent(
  { name, widget }: FormField,
  sent: ReadonlyMap<string, readonly string[]>
): readonly string[] {
  const input = inputName(name)
  const own = widget instanceof Widget ? widget.collect?.(input, sent) : undefined
  return own ?? sent.get(input) ?? []
}

function readFile({ name, widget }: FormField, file: MultipartFile, { files, errors }: Submission) {
  if (widget !== 'image' || isImageFile(file)) files.set(name, file)
  else errors.push({ field: name, rule: 'image', message: `The ${name} field ${NO_IMAGE}` })
}

function readField(field: FormField, texts: string[], { values, errors }: Submission) {
  try {
    const value = valueOf(field, texts)
    if (value !== undefined) values[field.name] = value
  } catch (error) {
    errors.push(errorOf(field, error))
  }
}

/** Returns the error of a field whose text can't be parsed or is rejected by its widget. Throws any other error. */
function errorOf({ name, widget }: FormField, error: unknown): FieldError {
  if (error instanceof UnreadableText) {
    return { field: name, rule: error.rule, message: `The ${name} field ${error.message}` }
  }
  if (!(widget instanceof Widget && error instanceof Error)) throw error
  return { field: name, rule: 'widget', message: error.message }
}

function withoutEmpty(texts: string[], mode: FormMode): string[] {
  const stored = texts.filter((text) => text.trim() !== '')
  return mode === 'update' ? stored.map((text) => text.trim()) : stored
}

function isCleared(
  field: FormField,
  sent: ReadonlyMap<string, readonly string[]>,
  mode: FormMode
): boolean {
  const texts = sent.get(inputName(field.name) + CLEAR) ?? []
  return mode === 'update' && field.nullable && texts.includes('1')
}
