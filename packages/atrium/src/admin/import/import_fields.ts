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
