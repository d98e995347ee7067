import { onQueryOf } from '#upstream/lucid_relations'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ValueError } from '#crud'
import { listed } from '#base/errors'
import type { Column } from '#base/columns/column'
import type { ModelView, ViewSite } from '../../views/model_view.js'
import { inlinesOf, type Inline } from './inline.js'
import { ID } from './rows.js'
import { inlineOptions, type InlineOptions } from '../../views/relation_options.js'

/**
 * Checks the names in the option `inlines` of a view. Called when all models of the site are known.
 *
 * @throws ValueError  for the first error
 */
export function checkInlines(site: ViewSite, view: ModelView): void {
  const seen = new Set<string>()
  for (const options of inlineOptions(view.options.inlines)) {
    const { relation } = options
    if (seen.has(relation)) {
      throw new ValueError(`${view.name}: inlines names '${relation}' twice`)
    }
    seen.add(relation)
    checkInline(site, view, options)
  }
}

function checkInline(site: ViewSite, view: ModelView, options: InlineOptions): void {
  const place = `${view.name}: inlines names '${options.relation}'`
  const relation = view.model.$relationsDefinitions.get(options.relation)
  if (!relation) {
    const names = [...view.model.$relationsDefinitions.keys()]
    const known = names.length > 0 ? `; relations are ${listed(names)}` : ''
    throw new ValueError(`${place}, which is not a relation of the model${known}`)
  }
  if (relation.type !== 'hasMany' && relation.type !== 'hasOne') {
    throw new ValueError(`${place}, a ${relation.type}, and must name a hasMany or hasOne`)
  }
  if (onQueryOf(relation)) {
    throw new ValueError(`${place}, whose onQuery can't be applied to rows in a form`)
  }
  relation.boot()
  const model = relation.relatedModel()
  const other = [...site.models.values()].find((one) => one.model === model)
  if (!other) {
    throw new ValueError(
      `${place}, whose model ${model.name} is not on the site: give it @AdminView`
    )
  }
  if (other.adminModel || view.adminModel) {
    throw new ValueError(`${place}, and the admin's own models have no inlines`)
  }
  if (connectionOf(view.model) !== connectionOf(model)) {
    throw new ValueError(`${place}, whose model ${model.name} is on another connection`)
  }
  checkFields(place, other, relation.foreignKey, options)
  checkSort(place, other, options)
  checkSummaries(place, other, options)
}

function checkFields(
  place: string,
  view: ModelView,
  foreignKey: string,
  { fields = [], sort }: InlineOptions
): void {
  const { name, resource } = view
  const names = [...fields]
  const { columns } = resource
  const virtual = [...resource.virtualFields]
  const known = [...columns.all.map(({ apiName }) => apiName), ...virtual]
  const unknown = names.filter((one) => !known.includes(one))
  if (unknown.length > 0) {
    throw new ValueError(
      `${place} with the fields ${listed(unknown)}, which ${name} does not have; it has ${listed(known)}`
    )
  }
  const twice = names.find((one, index) => names.indexOf(one) !== index)
  if (twice !== undefined) throw new ValueError(`${place} with the field '${twice}' twice`)
  const reference = columns.find(foreignKey)?.apiName
  for (const one of names) {
    if (one === reference) {
      throw new ValueError(`${place} with the field '${one}', the foreign key, which the form sets`)
    }
    if (one === sort) {
      throw new ValueError(`${place} with the field '${one}', which is its sort already`)
    }
    if (one === ID) {
      throw new ValueError(`${place} with the field '${one}', by which rows are known in the form`)
    }
  }
}

function checkSort(place: string, { name, resource }: ModelView, { sort }: InlineOptions): void {
  if (sort === undefined) return
  const column = resource.columns.find(sort)
  if (!column) throw new ValueError(`${place} with the sort '${sort}', which ${name} does not have`)
  if (column.hidden || column.isPrimary) {
    throw new ValueError(`${place} with the sort '${sort}', and must name a visible number column`)
  }
}

function checkSummaries(
  place: string,
  { name, resource }: ModelView,
  { summaries = [] }: InlineOptions
): void {
  for (const one of summaries) {
    const [apiName] = one.split(':')
    if (resource.fields.some((column) => column.apiName === apiName)) continue
    throw new ValueError(`${place} with the summary '${one}', whose column ${name} does not show`)
  }
}

function connectionOf({ connection }: LucidModel): string {
  return connection ?? db.primaryConnectionName
}

/**
 * Checks that the sort columns of inlines can store numbers. Called when the table of the rows is loaded.
 *
 * @param view  view of the rows
 * @throws ValueError  if a sort column is not numeric or is part of a unique index
 */
export function checkSortColumns(site: ViewSite, view: ModelView): void {
  for (const parent of site.models.values()) {
    for (const inline of inlinesOf(site, parent)) {
      if (inline.view === view && inline.sort) checkSortColumn(parent, inline, inline.sort)
    }
  }
}

function checkSortColumn(
  parent: ModelView,
  { name, view }: Inline,
  { apiName, kind, name: columnName }: Column
): void {
  const place = `${parent.name}: inlines names '${name}' with the sort '${apiName}'`
  if (kind !== 'integer' && kind !== 'number') {
    throw new ValueError(`${place}, whose type is ${kind}, and must name a number column`)
  }
  const index = view.resource.uniqueKeys.find((columns) => columns.includes(columnName))
  if (!index) return
  throw new ValueError(
    `${place}, and the unique index over ${listed(index)} keeps two rows from changing places: make it an index that is not unique`
  )
}
