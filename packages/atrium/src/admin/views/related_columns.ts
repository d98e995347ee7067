import { onQueryOf } from '#upstream/lucid_relations'
import type { HttpContext } from '@adonisjs/core/http'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import { ValueError } from '#crud'
import { listed } from '#base/errors'
import { BoundedMap } from '#base/bounded_map'
import type { Column } from '#base/columns/column'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { NarrowedView } from '../permissions/may.js'
import { personalView } from '../permissions/personal_view.js'
import { inSentence, wordsOf } from '../text/plain_text.js'
import type { FieldOptions } from './view_options.js'

/* Maximum number of relations in a name; `customer.country.name` has two */
const MOST_LEVELS = 2

/** The parts of a view that its related columns use. */
interface LinkedView extends NarrowedView {
  readonly model: LucidModel
  readonly adminModel: boolean
  readonly adminSite:
    (NarrowedView['adminSite'] & { readonly models: ReadonlyMap<string, LinkedView> }) | undefined
  /** The unrestricted view of the site */
  readonly base: LinkedView
  labelOf(apiName: string): string
  fieldOptions(apiName: string): FieldOptions
}

/** A relation from the records of one model of the site to one record of another. */
export interface RelatedStep<View> {
  /** API name of the relation */
  name: string
  /** Unrestricted view of the related model */
  view: View
  /** Column of the records that leads to the related record */
  link: Column
  /** Column of the related record that has the value of `link` */
  target: Column
}

/** A column of a record's related record, such as `customer.city`. */
export interface RelatedColumn<View> {
  /** Full name, such as `customer.country.name` */
  name: string
  /** Relations from the record to the related one; at least one */
  steps: ReadonlyArray<RelatedStep<View>>
  /** Unrestricted view of the model that has the column */
  view: View
  column: Column
}

/** Returns true for the name of a column of a related record. */
export function isRelated(name: unknown): name is string {
  return typeof name === 'string' && name.includes('.')
}

/**
 * Finds a column of a related record by name. All models of the site must be known.
 *
 * @returns the end of an error message that begins with the name, for an invalid name
 */
export function relatedColumnOf<View extends LinkedView>(
  view: View,
  name: string
): RelatedColumn<View> | string {
  const parts = name.split('.')
  const field = parts.pop()!
  if (parts.length > MOST_LEVELS) return `which has more than ${MOST_LEVELS} relations`
  const steps: Array<RelatedStep<View>> = []
  for (const part of parts) {
    const step = stepOf(steps.at(-1)?.view ?? view, part)
    if (typeof step === 'string') return step
    steps.push(step)
  }
  const last = steps.at(-1)!.view
  const { fields } = last.resource
  const column = fields.find(({ apiName }) => apiName === field)
  if (column) return { name, steps, view: last, column }
  const known = listed(fields.map(({ apiName }) => apiName))
  return `but ${last.name} does not show '${field}'; it shows ${known}`
}

function stepOf<View extends LinkedView>(view: View, name: string): RelatedStep<View> | string {
  const { model, resource } = view
  const relation = relationOf(view, name)
  if (relation?.type !== 'belongsTo' && relation?.type !== 'hasOne') {
    return `but ${model.name} has no belongsTo or hasOne relation '${name}'`
  }
  if (onQueryOf(relation)) {
    return `but the relation '${name}' has an onQuery, which a list can't apply`
  }
  const other = viewOf(view, relation)
  if (!other || other.adminModel) {
    return `but the model of the relation '${name}' is not on the site: give it @AdminView`
  }
  const [local, foreign] = [relation.localKey, relation.foreignKey]
  const [from, to] = relation.type === 'belongsTo' ? [foreign, local] : [local, foreign]
  const link = resource.columns.find(from)
  const target = other.resource.columns.find(to)
  if (!link || !target || !resource.fields.includes(link)) {
    return `but the view does not show the column of the relation '${name}'`
  }
  return { name, view: other, link, target }
}

function relationOf({ model }: LinkedView, name: string): RelationshipsContract | undefined {
  const all = [...model.$relationsDefinitions.values()]
  const relation = all.find(({ serializeAs }) => serializeAs === name)
  relation?.boot()
  return relation
}

function viewOf<View extends LinkedView>(
  { adminSite }: View,
  relation: RelationshipsContract
): View | undefined {
  const model = relation.relatedModel()
  const found = [...(adminSite?.models.values() ?? [])].find((one) => one.model === model)
  return found as View | undefined
}

/**
 * Checks the related columns of a list. Called when all models of the site are known.
 *
 * @throws ValueError  for the first error
 */
export function checkRelatedColumns(view: LinkedView): void {
  for (const name of [...(view.options.listColumns ?? [])].filter(isRelated)) {
    const found = relatedColumnOf(view, name)
    if (typeof found !== 'string') continue
    throw new ValueError(`${view.name}: listColumns names '${name}', ${found}`)
  }
}

/**
 * Returns the label of a column of related records, such as `Customer city`: the labels of the relations, and that of
 * the column.
 */
export function relatedLabel(view: LinkedView, name: string): string {
  const [field, ...relations] = name.split('.').reverse()
  const labels: string[] = []
  let from: LinkedView | undefined = view
  for (const part of relations.reverse()) {
    const relation: RelationshipsContract | undefined = from && relationOf(from, part)
    labels.push((relation && labelOfKey(from!, relation)) ?? wordsOf(part))
    from = relation && viewOf(from!, relation)
  }
  const [first, ...others] = [...labels, from?.labelOf(field) ?? wordsOf(field)]
  return [first, ...others.map(inSentence)].join(' ')
}

/** Returns the label that the options give to the foreign key of a `belongsTo` relation, if any. */
function labelOfKey(view: LinkedView, relation: RelationshipsContract): string | undefined {
  if (relation.type !== 'belongsTo') return undefined
  const column = view.resource.columns.find(relation.foreignKey)
  return column && view.fieldOptions(column.apiName).label
}

/* Cached views whose lists lack the related columns that a user cannot see, by the names of the visible ones */
const NARROWED = new WeakMap<LinkedView, BoundedMap<string, LinkedView>>()
const STORED_MAX = 50

/* Cached per request, as a page uses the same view several times. */
const ASKED = new WeakMap<HttpContext, Map<LinkedView, Promise<LinkedView>>>()

/**
 * Returns the view without the columns of its list whose related records or values the signed-in user cannot see.
 *
 * @param view  the view, limited by the user's roles
 */
export async function withSeenColumns<View extends LinkedView>(
  ctx: HttpContext,
  view: View
): Promise<View> {
  const related = [...(view.options.listColumns ?? [])].filter(isRelated)
  if (related.length === 0) return view
  let asked = ASKED.get(ctx)
  if (!asked) ASKED.set(ctx, (asked = new Map()))
  let seen = asked.get(view)
  if (!seen) asked.set(view, (seen = narrowed(ctx, view, related)))
  return (await seen) as View
}

async function narrowed(
  ctx: HttpContext,
  view: LinkedView,
  related: readonly string[]
): Promise<LinkedView> {
  const areSeen = await Promise.all(related.map((name) => isSeen(ctx, view, name)))
  const seen = new Set(related.filter((_, index) => areSeen[index]))
  if (seen.size === related.length) return view

  let views = NARROWED.get(view)
  if (!views) NARROWED.set(view, (views = new BoundedMap(STORED_MAX)))
  const id = JSON.stringify([...seen])
  let known = views.get(id)
  if (!known) {
    const columns = [...view.options.listColumns!]
    const listColumns = columns.filter((one) => !isRelated(one) || seen.has(one))
    const options = { value: { ...view.options, listColumns } }
    known = Object.create(view, { options, base: { value: view.base } }) as LinkedView
    views.set(id, known)
  }
  return known
}

async function isSeen(ctx: HttpContext, view: LinkedView, name: string): Promise<boolean> {
  const found = relatedColumnOf(view.base, name)
  if (typeof found === 'string') return false
  let from = view
  try {
    for (const step of found.steps) {
      const own = await seenView(ctx, step.view)
      if (!own || !shows(from, step.link) || hides(own, step.target)) return false
      from = own
    }
    return shows(from, found.column)
  } catch (error) {
    ctx.logger.error({ err: error }, `${view.name}: the list has no column ${name} after an error`)
    return false
  }
}

/**
 * Returns the view of the related model for the user; null if the user cannot see the model. Unlike `view.for`, it does
 * not check the related columns in the list of that model.
 */
async function seenView(ctx: HttpContext, view: LinkedView): Promise<LinkedView | null> {
  const own = await personalView(ctx, view)
  if (own.isWithheld || !own.may('view')) return null
  if (!own.resource.isLoaded) await own.resource.load()
  const isOpen = !own.resource.policy || own.resource.authorizesRecords
  return isOpen || (await own.crud.allows('read_multi', own.callOptions(ctx))) ? own : null
}

function shows({ resource }: LinkedView, { apiName }: Column): boolean {
  return resource.fields.some((column) => column.apiName === apiName)
}

function hides({ resource }: LinkedView, { apiName }: Column): boolean {
  return resource.columns.find(apiName)?.hidden !== false
}
