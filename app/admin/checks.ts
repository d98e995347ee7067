import { ValueError } from '#crud'
import {
  ANY,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  LABEL,
  shown,
  TEXT,
  TEXTS,
  type Check,
  listed,
} from '#crud/internals'
import type { Edge } from 'edge.js'
import { Widget, WIDGETS } from './forms/fields/widget.js'
import type { ListColumn } from './list/list_column.js'
import type { AdminViewOptions } from './view_options.js'

const CLASSES: Check = [(value) => isList(value), 'a list of classes']
/* Path commands, numbers and their separators */
const DRAWING: Check = [
  (value) => typeof value === 'string' && /^\s*[Mm][MmZzLlHhVvCcSsQqTtAaEe\d\s,.+-]*$/.test(value),
  "SVG path data in a box of 24 by 24, as in 'M4 6h16M4 12h16'",
]

const CHECKS: Record<keyof Required<AdminViewOptions>, Check> = {
  allowedActions: TEXTS,
  createSchema: ANY,
  updateSchema: ANY,
  updateInternalSchema: ANY,
  deleteSchema: ANY,
  selectSchema: ANY,
  endpointCreator: ANY,
  crud: ANY,
  virtualFields: TEXTS,
  label: LABEL,
  singular: LABEL,
  icon: DRAWING,
  group: LABEL,
  title: [
    (value) => typeof value === 'string' || typeof value === 'function',
    "a column's name or a function",
  ],
  listColumns: [(value) => isList(value), "a list of columns' names and subclasses of ListColumn"],
  searchableColumns: TEXTS,
  facets: TEXTS,
  defaultSort: TEXT,
  fields: [
    (value) => isObject(value) && Object.values(value).every(isObject),
    "a map from fields to their options, as in { name: { label: 'Name' } }",
  ],
  bulkActions: CLASSES,
  scopes: [
    (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, scope]) => isScopeName(name) && FUNCTION[0](scope)),
    "a map from names of letters, digits, - and _ to functions, as in { ownBranch: (query, actor) => query.where('branch_id', 4) }",
  ],
  templates: [isObject, "an object, as in { list: 'products/list' }"],
  panel: [
    (value) =>
      isObject(value) &&
      TEXT[0]((value as any).template) &&
      typeof (value as any).data === 'function',
    'an object with a template and a function data',
  ],
}

const WIDGET: Check = [
  (value) => WIDGETS.includes(value) || value?.prototype instanceof Widget,
  `one of ${listed(WIDGETS)}, or a subclass of Widget`,
]
const FIELD = { label: LABEL, help: TEXT, widget: WIDGET }
const TEMPLATES = { list: LABEL, create: LABEL, update: LABEL }

/* Properties of a view that the site sets, not the options. */
const GIVEN = ['model', 'databaseConfig', 'adminModel', 'adminSite', 'eventIntegration']

/**
 * Checks that each option of a view is known and has the right type; its meaning is checked later.
 * [P9]
 *
 * @param name       name of the model
 * @param options    the view's options together with the properties that the site sets
 * @param templates  directory in which the named templates must exist; undefined skips that check
 * @throws ValueError
 */
export function checkViewOptions(name: string, options: object, templates?: Edge): void {
  const own = Object.entries(options).filter(([option]) => !GIVEN.includes(option))
  const given: AdminViewOptions = Object.fromEntries(own)
  checkEach(name, given, CHECKS)
  for (const [field, settings] of Object.entries(given.fields ?? {})) {
    checkEach(name, settings, FIELD, { group: `fields.${field}`, mayBeUndefined: true })
  }
  checkEach(name, given.templates ?? {}, TEMPLATES, { group: 'templates', mayBeUndefined: true })
  for (const [page, template] of Object.entries(given.templates ?? {})) {
    if (template === undefined || !templates || hasTemplate(templates, template)) continue
    throw new ValueError(
      `${name}: templates.${page} is ${shown(template)}, and must be an Edge file below resources/views, without its .edge`
    )
  }
}

/**
 * Checks that the list column classes create valid columns whose names do not clash.
 *
 * @param names     names of the list columns that are not given as classes
 * @param sortable  API names that the list can be sorted by
 * @throws ValueError
 */
export function checkListColumns(
  name: string,
  classes: Iterable<new () => ListColumn>,
  names: readonly string[],
  sortable: readonly string[]
): void {
  const taken = new Set(names)
  for (const Class of classes) {
    const column = new Class()
    const place = `${name}: listColumns: ${Class.name}`
    for (const option of ['name', 'label'] as const) {
      const [isRight, wanted] = LABEL
      if (isRight(column[option])) continue
      throw new ValueError(
        `${place} has the ${option} ${shown(column[option])}, and must have ${wanted}`
      )
    }
    if (taken.has(column.name)) {
      throw new ValueError(
        `${place} has the name '${column.name}', which another column of the list has; names there are ${listed(taken)}`
      )
    }
    taken.add(column.name)
    if (column.sortBy !== undefined && !sortable.includes(column.sortBy)) {
      throw new ValueError(
        `${place} has the sortBy ${shown(column.sortBy)}, which the view does not show; it shows ${listed(sortable)}`
      )
    }
  }
}

function isScopeName(name: string): boolean {
  return /^[A-Za-z_][\w-]{0,99}$/.test(name) && name !== '__proto__'
}

function hasTemplate(templates: Edge, name: string): boolean {
  try {
    templates.loader.resolve(name)
    return true
  } catch {
    return false
  }
}
