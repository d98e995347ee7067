import { ValueError } from '#crud'
import {
  ANY,
  checkEach,
  isList,
  isObject,
  LABEL,
  shown,
  TEXT,
  TEXTS,
  type Check,
} from '#crud/option_checks'
import { listed } from '#crud/errors'
import type { Edge } from 'edge.js'
import { Widget } from './forms/fields/widget.js'
import type { ListColumn } from './list/list_column.js'
import { WIDGETS, type AdminViewOptions } from './view_options.js'

const CLASSES: Check = [(value) => isList(value), 'a list of classes']
/* The letters of its commands, numbers, and what stands between them */
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
  defaultSort: TEXT,
  fields: [
    (value) => isObject(value) && Object.values(value).every(isObject),
    "a map from fields to their options, as in { name: { label: 'Name' } }",
  ],
  bulkActions: CLASSES,
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

/* What a view is made of beside its options; the site gives it. */
const GIVEN = ['model', 'databaseConfig', 'adminModel', 'adminSite', 'eventIntegration']

/**
 * Whether each option of a view is known and of its type, whatever it then means. [P9]
 *
 * @param name       the model's
 * @param options    with what the site gives a view beside them
 * @param templates  where the templates that they name must be; undefined: they are not looked for
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
 * Whether the classes of a list's columns make columns that go with it, and with each other.
 *
 * @param names     of the list's columns that are no classes
 * @param sortable  wire names of what can be sorted by
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

function hasTemplate(templates: Edge, name: string): boolean {
  try {
    templates.loader.resolve(name)
    return true
  } catch {
    return false
  }
}
