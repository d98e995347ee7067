import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ValueError, type Resource } from '#crud'
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
import { splitSorts } from '#base/columns/sort'
import { shown, listed } from '#base/errors'
import type { PivotRelation } from '#base/lucid/pivot_relation'
import { CompiledSchema } from '#base/schema/object_schema'
import { TRANSITIONS } from '#base/columns/transitions'
import { checkChoices, CHOICES } from './choice_options.js'
import { checkConditions, isVisibleWhen } from './visible_when.js'
import { INLINES, SUMMARIES, checkPivotNames, relatedError } from './relation_options.js'
import { Widget, WIDGETS } from './widget.js'
import { checkFormNames, checkFormParts } from './form_parts.js'
import { ListColumn } from './list_column.js'
import { isRelated } from './related_columns.js'
import { isTitleTemplate, namesInTitle } from './title_template.js'
import { checkWidgets } from './widget_checks.js'
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
const GIVEN = ['model', 'databaseConfig', 'adminModel', 'adminSite']

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
 * Checks that the classes of the list's columns create valid columns with unique names.
 *
 * @param names     names of the list columns that are not classes
 * @param sortable  API names that the list can be sorted by
 * @throws ValueError
 */
function checkColumnClasses(
  name: string,
  classes: ReadonlyArray<new () => ListColumn>,
  names: readonly string[],
  sortable: readonly string[]
): void {
  const taken = new Set(names)
  for (const Class of classes) {
    if (!((Class as any)?.prototype instanceof ListColumn)) {
      throw new ValueError(
        `${name}: listColumns holds ${shown(Class)}, which is neither a column's name nor a subclass of ListColumn`
      )
    }
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

/** The parts of a view that its options name */
interface NamedView {
  readonly name: string
  readonly model: LucidModel
  readonly options: AdminViewOptions
  readonly resource: Resource
  readonly manyToMany: readonly PivotRelation[]
}

/**
 * Checks the names in the options: columns must be visible, and fields and relations must exist.
 *
 * @throws ValueError  for the first error
 */
export function checkNames(view: NamedView): void {
  const { model, name, options, resource } = view
  checkSchemaNames(view)
  const shownNames = resource.fields.map(({ apiName }) => apiName)
  const computed = [...resource.computed.values()]
  const check = (option: string, names: Iterable<string>, valid: string[]) => {
    const unknown = [...names].filter((one) => !valid.includes(one))
    if (unknown.length > 0) {
      throw new ValueError(
        `${name}: ${option} names ${listed(unknown)}, which the view does not show; it shows ${listed(valid)}`
      )
    }
  }
  const { defaultSort, orderBy, searchableColumns, facets, summaries, title } = options
  const listColumns = [...(options.listColumns ?? [])]
  const own = listColumns.filter((one) => typeof one === 'string')
  const direct = own.filter((one) => !isRelated(one))
  check('listColumns', direct, [...shownNames, ...computed])
  check('searchableColumns', searchableColumns ?? [], shownNames)
  check('facets', facets ?? [], shownNames)
  const summarized = [...(summaries ?? [])].map((one) => one.split(':')[0])
  check('summaries', summarized, shownNames)
  const sorted = defaultSort === undefined ? [] : splitSorts(defaultSort)
  check(
    'defaultSort',
    sorted.map((one) => one.name),
    shownNames
  )
  if (orderBy !== undefined) check('orderBy', [orderBy], shownNames)
  if (typeof title === 'string') {
    check('title', isTitleTemplate(title) ? namesInTitle(title) : [title], shownNames)
  }
  const error = relatedError(model, options.related ?? [])
  if (error) throw new ValueError(`${name}: ${error}`)
  checkFieldNames(view, check)
  checkColumnClasses(
    name,
    listColumns.filter((one) => typeof one !== 'string'),
    own,
    shownNames
  )
}

/** Checks the names of fields in `fields` and `form`. */
function checkFieldNames(
  { manyToMany, name, options, resource }: NamedView,
  check: (option: string, names: Iterable<string>, valid: string[]) => void
): void {
  const { fields = {}, form = [] } = options
  const known = resource.columns.all.map(({ apiName }) => apiName)
  const formNames = [...known, ...resource.virtualFields]
  const related = manyToMany.map((many) => many.name)
  check('fields', Object.keys(fields), [
    ...known,
    ...resource.computed.values(),
    ...resource.virtualFields,
    ...related,
  ])
  checkFormNames(name, form, [...formNames, ...related])
  checkConditions(name, fields, formNames)
  checkPivotNames(name, fields, manyToMany)
  checkWidgets(name, fields, formNames)
}

function checkSchemaNames({ name, options, resource }: NamedView): void {
  const option = 'updateInternalSchema'
  const schema = options[option]
  if (schema === undefined) return
  const { columns } = resource
  const unknown = new CompiledSchema(schema, option, name).fields
    .map(({ input }) => input)
    .filter((input) => !columns.find(input))
  if (unknown.length > 0) {
    throw new ValueError(
      `${name}: ${option} does not match the model: ${listed(unknown)} is not a column; columns are ${listed(columns.all.map(({ apiName }) => apiName))}`
    )
  }
}
