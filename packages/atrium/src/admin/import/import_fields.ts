import type { HttpContext } from '@adonisjs/core/http'
import { systemActor, type Actor } from '#crud'
import type { Origin } from '#base/types'
import type { BodyField } from '#base/schema/body_schema'
import type { Column } from '#base/columns/column'
import { adminActor, adminOrigin } from '../identity/admin_actor.js'
import { NotAllowed } from '../http/errors.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { followed, type Reference, referencesOf } from '../relations/references.js'
import type { Site } from '../views/site.js'
import { isFileField } from '../forms/files/file_fields.js'
import { inSentence } from '../text/plain_text.js'
import { assertImport } from './import_access.js'
import { distance } from 'fastest-levenshtein'
import { fromQuery } from '#base/values/from_query'
import type { Resource } from '#crud/internals'
import type { ImportMapping } from '../models/admin_import.js'
import type { Cell, FileShape } from '../sheets/file_shape.js'

/** The user who imports rows, and the permissions of that user. */
export interface Importer {
  /** View with the permissions of the user */
  view: ModelView
  actor: Actor
  origin: Origin | undefined
  mayCreate: boolean
  mayUpdate: boolean
  /**
   * Returns a reference with the permissions of the user; null if the user is not allowed to see the referenced records
   */
  follow(reference: Reference): Promise<Reference | null>
}

/**
 * Returns the signed-in user as importer, with the current permissions.
 *
 * @throws NotAllowed
 */
export async function importerOf(ctx: HttpContext, { base }: ModelView): Promise<Importer> {
  await assertImport(ctx, base)
  const view = await base.for(ctx)
  if (view.isWithheld) throw new NotAllowed()
  if (!view.resource.isLoaded) await view.resource.load(view.client())
  return {
    view,
    actor: adminActor(ctx),
    origin: adminOrigin(ctx),
    mayCreate: await may(ctx, view, 'create'),
    mayUpdate: await may(ctx, view, 'update'),
    follow: (reference) => followed(ctx, reference),
  }
}

/**
 * Returns the operator of a command as importer, without restrictions.
 *
 * @param name  name of the command, for the log
 */
export async function operator(view: ModelView, name: string): Promise<Importer> {
  if (!view.resource.isLoaded) await view.resource.load(view.client())
  return {
    view,
    actor: systemActor(name),
    origin: undefined,
    mayCreate: true,
    mayUpdate: true,
    follow: async (reference) => reference,
  }
}

/** A field that can be imported. */
export interface ImportField {
  /** API name */
  name: string
  label: string
  /** True if new records require a value */
  required: boolean
  /** True if the field refers to a record of another model */
  isReference: boolean
  /** True for a reference whose records can also be identified by title */
  hasTitles: boolean
  /** Singular label of the referenced model; null if the field is not a reference */
  refersTo: string | null
  /** True if a value belongs to at most one record, so that the field can identify the record of a row */
  isUniqueKey: boolean
  /** True if the field only identifies records and is not written */
  isOnlyKey: boolean
}

/** An import field with the data that the engine needs. */
export interface KnownField extends ImportField {
  /** Undefined for a virtual field */
  column: Column | undefined
  /** Reference with the permissions of the importer */
  reference: Reference | null
  /** Name of the relation, such as `distributor` */
  relation: string | null
}

/**
 * Returns the fields that the importer is allowed to import: the fields of the create and update schemas, except files,
 * and the key, which identifies the record of a row.
 */
export async function knownFields(site: Site, importer: Importer): Promise<KnownField[]> {
  const { view } = importer
  const { createBody, key, updateBody } = view.resource
  const columns = key.columns.filter(({ hidden }) => !hidden)
  const names = new Set([
    ...columns.map(({ apiName }) => apiName),
    ...(importer.mayCreate ? namesOf(view, createBody.fields) : []),
    ...(importer.mayUpdate ? namesOf(view, updateBody.fields) : []),
  ])
  const references = await followedReferences(site, importer)
  return [...names].map((name) => {
    const creating = createBody.fields.find(({ apiName }) => apiName === name)
    const updating = updateBody.fields.find(({ apiName }) => apiName === name)
    const body = creating ?? updating
    const column = body ? body.column : columns.find(({ apiName }) => apiName === name)
    const found = references.find((one) => one.reference.column.apiName === name)
    return {
      name,
      label: view.labelOf(name),
      required: creating?.required ?? false,
      isReference: found !== undefined,
      hasTitles: found !== undefined && hasTitles(found.reference),
      refersTo: found ? inSentence(found.reference.view.singular) : null,
      isUniqueKey: column !== undefined && isUnique(view, column),
      isOnlyKey: !creating && (!updating || column?.isPrimary === true),
      column,
      reference: found?.reference ?? null,
      relation: found?.relation ?? null,
    }
  })
}

function namesOf(view: ModelView, fields: readonly BodyField[]): string[] {
  const taken = fields.filter(
    ({ apiName, type }) => type !== 'multipartFile' && !isFileField(view, apiName)
  )
  return taken.map(({ apiName }) => apiName)
}

function isUnique({ resource }: ModelView, column: Column): boolean {
  if (column.hidden) return false
  const { key, wholeKeys } = resource
  const isKey = !key.isComposite && key.columns.includes(column)
  return isKey || wholeKeys.some(([name, ...others]) => name === column.name && !others.length)
}

async function followedReferences(site: Site, importer: Importer) {
  const { view } = importer
  const followedOnes: Array<{ reference: Reference; relation: string | null }> = []
  for (const reference of referencesOf(site, view)) {
    const seen = await importer.follow(reference)
    if (!seen) continue
    if (!seen.view.resource.isLoaded) await seen.view.resource.load(seen.view.client())
    followedOnes.push({ reference: seen, relation: relationOf(view, seen.column) })
  }
  return followedOnes
}

function relationOf({ model }: ModelView, { attribute }: Column): string | null {
  for (const [name, relation] of model.$relationsDefinitions) {
    if (relation.type === 'belongsTo' && relation.foreignKey === attribute) return name
  }
  return null
}

/**
 * Returns whether records can be identified by title, which requires a title column. Titles that code generates cannot
 * be searched.
 */
function hasTitles({ view }: Reference): boolean {
  const { titleColumn } = view
  return titleColumn !== undefined && !titleColumn.hidden && titleColumn.kind === 'text'
}

/** Suffix that an export with `titles=1` adds to the name of a reference. */
const TITLE_SUFFIX = '__title'

/* Maximum length of a heading that is compared; longer ones are not misspelt names, and comparing them is slow. */
const LONGEST_HEADING = 100

interface Guess {
  field: KnownField
  by: 'key' | 'title'
}

/**
 * Guesses the field of each column of a file: by API name, by label, by the heading of a reference's titles, then by
 * similar names. No field is guessed twice.
 */
export function guessMapping(
  fields: readonly KnownField[],
  { columns: headings, samples }: Pick<FileShape, 'columns' | 'samples'>
): ImportMapping {
  const columns = headings.map((): string | null => null)
  const by: ImportMapping['by'] = {}
  const taken = new Set<string>()
  for (const find of [byName, byLabel, byRelation, byLikeness]) {
    headings.forEach((heading, index) => {
      if (columns[index] !== null || heading.length > LONGEST_HEADING) return
      const cells = samples.map((row) => row[index])
      const left = fields.filter(({ name }) => !taken.has(name))
      const guess = find(left, heading, cells)
      if (!guess) return
      const { field } = guess
      columns[index] = field.name
      taken.add(field.name)
      if (field.isReference) by[index] = guess.by
    })
  }
  return { columns, by }
}

/**
 * Guesses the fields that identify the record of a row: the primary key if the file has it, otherwise a unique field,
 * otherwise a unique group of fields; null if there is none.
 */
export function guessKey(
  { columns, key, wholeKeys }: Resource,
  fields: readonly KnownField[],
  mapping: ImportMapping
): string | null {
  const mapped = fields.filter(({ name }) => mapping.columns.includes(name))
  const nameOf = (column: string) => mapped.find((field) => field.column?.name === column)?.name
  const candidates = [
    key.columns.map(({ name }) => name),
    ...wholeKeys.toSorted((one, other) => one.length - other.length),
  ]
  for (const names of candidates) {
    const known = names.every((name) => columns.all.some((one) => one.name === name && !one.hidden))
    const found = names.map(nameOf)
    if (known && found.length > 0 && !found.includes(undefined)) return found.join(',')
  }
  return null
}

type Find = (fields: readonly KnownField[], heading: string, cells: Cell[]) => Guess | undefined

const byName: Find = (fields, heading, cells) => {
  const field = fields.find(({ name }) => name === heading.trim())
  return field && { field, by: meant(field, cells) }
}

const byLabel: Find = (fields, heading, cells) => {
  const word = plain(heading)
  const named = fields.filter(({ name, label }) => plain(name) === word || plain(label) === word)
  return named.length === 1 ? { field: named[0], by: meant(named[0], cells) } : undefined
}

const byRelation: Find = (fields, heading, cells) => {
  const word = plain(heading)
  const field = fields.find(
    ({ name, isReference, relation }) =>
      isReference && (plain(name + TITLE_SUFFIX) === word || plain(relation ?? '') === word)
  )
  return field && { field, by: meant(field, cells) }
}

const byLikeness: Find = (fields, heading, cells) => {
  const word = plain(heading)
  if (word.length < 4) return undefined
  const most = Math.floor(word.length / 4)
  const near = fields
    .map((field) => ({ field, far: farFrom(field, word) }))
    .filter(({ far }) => far <= most)
    .toSorted((one, other) => one.far - other.far)
  const [first, second] = near
  if (!first || first.far === second?.far) return undefined
  return { field: first.field, by: meant(first.field, cells) }
}

function farFrom({ label, name }: KnownField, word: string): number {
  return Math.min(distance(plain(name), word), distance(plain(label), word))
}

/** Returns whether a column of a reference contains keys or titles: titles if some cells cannot be keys. */
function meant(field: KnownField, cells: Cell[]): 'key' | 'title' {
  const { reference } = field
  if (!reference || !field.hasTitles) return 'key'
  const filled = cells.filter((cell) => cell !== null && cell !== undefined && cell !== '')
  const isKey = (cell: Cell) => fromQuery(reference.target, String(cell)) !== null
  return filled.every(isKey) ? 'key' : 'title'
}

/** Returns letters and digits only, in lower case, so that `Release Date` and `release_date` are equal. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
