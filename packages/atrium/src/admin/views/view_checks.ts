import { ValueError } from '#crud'
import {
  ANY,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  LABEL,
  TEXT,
  TEXTS,
  TRUTH,
  type Check,
} from '#base/checks'
import { shown, listed } from '#base/errors'
import { TRANSITIONS } from '#base/columns/transitions'
import { checkChoices, CHOICES } from './choice_options.js'
import { isVisibleWhen } from './visible_when.js'
import { INLINES, SUMMARIES } from './inline_option.js'
import { Widget, WIDGETS } from './widget.js'
import { checkFormParts } from './form_parts.js'
import type { ListColumn } from './list_column.js'
import { isPageSize, ROWS_MAX } from './page_size.js'
import type { AdminViewOptions } from './view_options.js'

/** Edge templates of the application */
export interface Templates {
  has(name: string): boolean
  /** Returns what a template contains in addition to the content of a page. */
  shapeOf(name: string): { hasLayout: boolean; hasHeading: boolean }
}

const CLASSES: Check = [(value) => isList(value), 'a list of classes']
/** Matches path commands, numbers and separators */
export const DRAWING: Check = [
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
    "a column's name or a function, or a template such as '{name}, {country}'",
  ],
  listColumns: [(value) => isList(value), "a list of columns' names and subclasses of ListColumn"],
  searchableColumns: TEXTS,
  facets: TEXTS,
  summaries: SUMMARIES,
  related: TEXTS,
  inlines: INLINES,
  manyToMany: TEXTS,
  defaultSort: TEXT,
  orderBy: LABEL,
  rowsPerPage: [isPageSize, `a whole number from 1 to ${ROWS_MAX}`],
  form: [(value) => isList(value), 'a list of names of fields, sections and tabs'],
  fields: [
    (value) => isObject(value) && Object.values(value).every(isObject),
    "a map from fields to their options, as in { name: { label: 'Name' } }",
  ],
  bulkActions: CLASSES,
  recordActions: CLASSES,
  transitions: TRANSITIONS,
  scopes: [
    (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, scope]) => isScopeName(name) && FUNCTION[0](scope)),
    "a map from names of letters, digits, - and _ to functions, as in { ownBranch: (query, actor) => query.where('branch_id', 4) }",
  ],
  templates: [isObject, "an object, as in { list: 'products/list' }"],
  panel: [
    (value) =>
      [value]
        .flat()
        .every(
          (one) =>
            isObject(one) &&
            TEXT[0]((one as any).template) &&
            typeof (one as any).data === 'function'
        ),
    'an object with a template and a function data, or a list of such objects',
  ],
}

const WIDGET: Check = [
  (value) => WIDGETS.includes(value) || value?.prototype instanceof Widget,
  `one of ${listed(WIDGETS)}, or a subclass of Widget`,
]
const CONDITION: Check = [
  isVisibleWhen,
  "a map from fields to a value or a list of values, as in { kind: ['book', 'ebook'] }",
]
const HIDDEN: Check = [
  (value) => typeof value === 'boolean' || typeof value === 'function',
  'true, false or a function of the user',
]
const PIVOT: Check = [
  (value) => isObject(value) && Object.values(value).every(isObject),
  "a map from columns of the pivot to their options, as in { role: { label: 'Role' } }",
]
const PIVOT_CHOICES: Check = [
  (value) => isList(value, (one) => ['string', 'number'].includes(typeof one)),
  'a list of texts or numbers',
]
const FILE_TYPES: Check = [
  (value) => Array.isArray(value) && value.every((one) => /^[a-z0-9]{1,8}$/.test(one)),
  "a list of extensions in lower case without points, as in ['pdf', 'svg']",
]

const SUGGESTIONS: Check = [
  (value) => typeof value === 'boolean' || TEXTS[0](value),
  `${TEXTS[1]}, true or false`,
]

const FIELD = {
  label: LABEL,
  help: TEXT,
  widget: WIDGET,
  choices: CHOICES,
  prefix: LABEL,
  suffix: LABEL,
  grouped: TRUTH,
  currency: TEXT,
  minorUnits: TRUTH,
  from: TEXT,
  suggestions: SUGGESTIONS,
  fileTypes: FILE_TYPES,
  visibleWhen: CONDITION,
  default: FUNCTION,
  hidden: HIDDEN,
  pivot: PIVOT,
}
const PIVOT_COLUMN = { label: LABEL, help: TEXT, choices: PIVOT_CHOICES }
const TEMPLATES = { list: LABEL, create: LABEL, update: LABEL }

/* Properties of a view that are set by the site and are not options */
const GIVEN = ['model', 'databaseConfig', 'adminModel', 'adminSite', 'eventIntegration']

/**
 * Checks that each option of a view is known and has the right type. Names in the options are checked later.
 *
 * @param name       name of the model
 * @param options    the view's options together with the properties that the site sets
 * @param templates  templates of the application, to check that the configured ones exist; undefined skips that check
 * @throws ValueError
 */
export function checkViewOptions(name: string, options: object, templates?: Templates): void {
  const own = Object.entries(options).filter(([option]) => !GIVEN.includes(option))
  const given: AdminViewOptions = Object.fromEntries(own)
  checkEach(name, given, CHECKS)
  for (const [field, settings] of Object.entries(given.fields ?? {})) {
    checkEach(name, settings, FIELD, { group: `fields.${field}`, mayBeUndefined: true })
    checkChoices(`${name}: fields.${field}.choices`, settings.choices ?? {})
    for (const [column, pivot] of Object.entries(settings.pivot ?? {})) {
      const group = `fields.${field}.pivot.${column}`
      checkEach(name, pivot, PIVOT_COLUMN, { group, mayBeUndefined: true })
    }
  }
  checkFormParts(name, given.form ?? [])
  checkEach(name, given.templates ?? {}, TEMPLATES, { group: 'templates', mayBeUndefined: true })
  for (const [page, template] of Object.entries(given.templates ?? {})) {
    if (template === undefined || !templates || templates.has(template)) continue
    throw new ValueError(
      `${name}: templates.${page} is ${shown(template)}, and must be an Edge file below resources/views, without its .edge`
    )
  }
}

/**
 * Checks that the list column classes create valid columns with unique names.
 *
 * @param names     names of the list columns that are not classes
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
