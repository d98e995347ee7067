import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts } from '../../http/form_texts.js'
import { valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { FormMode } from '../fields/form_fields.js'
import { Widget } from '../fields/widget.js'
import type { FieldError } from '#crud/internals'
import { UnreadableText } from '../../errors.js'

/** Suffix in the name of the checkbox that empties a field. [B17] */
export const CLEAR = '__clear'

/**
 * A submitted form. [S36, S42]
 */
export interface Submission {
  /** Values for `BodySchema.parse`, by API name, without files */
  values: Record<string, unknown>
  /** True if any field was submitted with a value */
  supplied: boolean
  /** Submitted texts by API name */
  shown: Record<string, string[]>
  /** Names of the fields to empty */
  cleared: ReadonlySet<string>
  /** Uploaded files by API name */
  files: Map<string, MultipartFile>
  /** Fields that could not be parsed */
  faults: FieldError[]
  /** True if a button of a widget only wants the form again */
  asksAgain: boolean
}

/**
 * Parses a form. On create, texts are kept as typed, and empty fields are left out so that defaults
 * apply. On update, texts are trimmed and empty fields are left out as well: only its checkbox
 * empties a field. [S36, S42, B17]
 */
export async function readSubmission(
  fields: readonly FormField[],
  ctx: HttpContext,
  mode: FormMode
): Promise<Submission> {
  const sent = sentTexts(ctx)
  const submission: Submission = {
    values: {},
    supplied: false,
    shown: {},
    cleared: new Set(
      fields.filter((field) => isCleared(field, sent, mode)).map(({ name }) => name)
    ),
    files: new Map(),
    faults: [],
    asksAgain: fields.some(
      ({ name, widget }) => widget instanceof Widget && widget.asksAgain?.(name, sent)
    ),
  }
  for (const field of fields) {
    const texts = textsSent(field, sent).map((text) => text.replace(/\r\n?/g, '\n'))
    if (texts.length > 0 && field.valueType !== 'file') submission.shown[field.name] = texts
    if (submission.cleared.has(field.name)) {
      submission.values[field.name] = field.emptied
    } else if (field.valueType === 'file' && !(field.widget instanceof Widget)) {
      const file = ctx.request.file(field.name)
      if (file && file.clientName !== '') submission.files.set(field.name, file)
    } else {
      readField(field, withoutEmpty(texts, mode), submission)
    }
  }
  const { values, cleared, files, faults } = submission
  submission.supplied =
    Object.keys(values).length > 0 || cleared.size > 0 || files.size > 0 || faults.length > 0
  return submission
}

function textsSent({ name, widget }: FormField, sent: Map<string, string[]>): string[] {
  const own = widget instanceof Widget ? widget.collect?.(name, sent) : undefined
  return own ?? sent.get(name) ?? []
}

function readField(field: FormField, texts: string[], { values, faults }: Submission) {
  try {
    const value = valueOf(field, texts)
    if (value !== undefined) values[field.name] = value
  } catch (error) {
    faults.push(faultOf(field, error))
  }
}

/** Error of a custom widget, with its own message. */
function faultOf({ name, widget }: FormField, error: unknown): FieldError {
  if (error instanceof UnreadableText) {
    return { field: name, rule: error.rule, message: `The ${name} field ${error.message}` }
  }
  if (!(widget instanceof Widget && error instanceof Error)) throw error
  return { field: name, rule: 'widget', message: error.message }
}

function withoutEmpty(texts: string[], mode: FormMode): string[] {
  const kept = texts.filter((text) => text.trim() !== '')
  return mode === 'update' ? kept.map((text) => text.trim()) : kept
}

function isCleared(field: FormField, sent: Map<string, string[]>, mode: FormMode): boolean {
  return mode === 'update' && field.nullable && (sent.get(field.name + CLEAR) ?? []).includes('1')
}
