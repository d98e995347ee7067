import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import type { FieldError } from '#crud/http/problem'
import { TooManyValues } from '../../http/errors.js'
import { UnreadableText, valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { FormMode } from '../fields/form_fields.js'
import { Widget } from '../fields/widget.js'

/** The end of the name of the checkbox that empties a field. [B17] */
export const CLEAR = '__clear'

/**
 * What somebody sent with a form. [S36, S42]
 */
export interface Submission {
  /** For `BodySchema.parse`, by wire name; files are not among them */
  values: Record<string, unknown>
  /** Whether any field was submitted with something in it */
  supplied: boolean
  /** The texts as they were typed, by wire name */
  shown: Record<string, string[]>
  /** The fields that are to be emptied */
  cleared: ReadonlySet<string>
  /** The uploaded file of a field, by wire name */
  files: Map<string, MultipartFile>
  /** The fields that can't be read */
  faults: FieldError[]
}

/**
 * Reads a form. On create a text stays as it was typed, and a field without anything in it is left out, so
 * that its default applies. On update texts are trimmed, and what is empty then is left out as well: only
 * its checkbox empties a field. [S36, S42, B17]
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
  }
  for (const field of fields) {
    const texts = (sent.get(field.name) ?? []).map((text) => text.replace(/\r\n?/g, '\n'))
    if (texts.length > 0 && field.holds !== 'file') submission.shown[field.name] = texts
    if (submission.cleared.has(field.name)) {
      submission.values[field.name] = field.emptied
    } else if (field.holds === 'file' && !(field.widget instanceof Widget)) {
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

function readField(field: FormField, texts: string[], { values, faults }: Submission) {
  try {
    const value = valueOf(field, texts)
    if (value !== undefined) values[field.name] = value
  } catch (error) {
    faults.push(faultOf(field, error))
  }
}

/** A widget of somebody's own says in its own words what is wrong. */
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

/* More than any form of ours has; a multipart one is not read beyond a thousand values of all fields. */
const MOST_VALUES = 1000
const MOST_FIELDS = 10_000

const read = new WeakMap<HttpContext, Map<string, string[]>>()

/**
 * The fields of the request's body with all their texts. Adonis's reading of an urlencoded body makes
 * objects of long lists and of names with brackets, so it is read again, once for a request.
 *
 * @throws TooManyValues
 */
export function sentTexts(ctx: HttpContext): Map<string, string[]> {
  const texts = read.get(ctx) ?? readTexts(ctx)
  read.set(ctx, texts)
  return texts
}

function readTexts({ request }: HttpContext): Map<string, string[]> {
  const texts = new Map<string, string[]>()
  const raw = request.raw()
  if (request.is(['urlencoded']) && raw !== null) {
    for (const [name, value] of new URLSearchParams(raw)) {
      const known = texts.get(name)
      if (known) known.push(value)
      else texts.set(name, [value])
      if (texts.size > MOST_FIELDS || (known && known.length > MOST_VALUES)) {
        throw new TooManyValues()
      }
    }
    return texts
  }
  if (!request.is(['multipart'])) return texts
  for (const [name, value] of Object.entries(request.body())) {
    const list = (Array.isArray(value) ? value : [value]).map((one) => one ?? '')
    texts.set(
      name,
      list.filter((one) => typeof one === 'string')
    )
  }
  return texts
}
