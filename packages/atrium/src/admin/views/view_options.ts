import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item, Scope, CrudOptions } from '#crud'
import type { ObjectSchema } from '#base/schema/object_schema'
import type { BulkAction } from './bulk_action.js'
import type { RecordAction } from './record_action.js'
import type { ChoiceOptions } from './choice_options.js'
import type { InlineOption } from './relation_options.js'
import type { FormPart } from './form_parts.js'
import type { VisibleWhen } from './visible_when.js'
import type { Widget, WidgetName } from './widget.js'
import type { ListColumn } from './list_column.js'
import type AdminUser from '../models/admin_user.js'
import type { Action } from '../permissions/offers.js'

/** A panel above or below the form of a model's update page. */
export interface UpdatePanel {
  /** Edge template; receives the return value of `data` as its props */
  template: string
  /** Additional stylesheet of the page */
  sheet?: string

  /** Position of the panel. Default: below the form */
  place?: 'above' | 'below'

  /**
   * Returns the id of the part of the panel that the user continues with after creating a record; null if the record
   * is complete and the list is shown. Default: null for all records
   */
  nextStep?(item: Item): Promise<string | null>

  /**
   * Returns the data of the template.
   *
   * @param state  state that a request to one of the panel's routes has stored
   */
  data(ctx: HttpContext, record: LucidRow, state?: unknown): Promise<Record<string, unknown>>
}

/** Options of a pivot column of a many-to-many relation. */
export interface PivotOptions {
  /** Default: derived from the name of the column */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /** Allowed values. Default: values that the database enumerates, otherwise any */
  choices?: Iterable<string | number>
}

/** Options of one field, for lists and forms. */
export interface FieldOptions {
  /** Default: derived from the API name, such as `Release date` */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /** Widget of the form field: a built-in name or a subclass of `Widget`. Default: derived from the schema */
  widget?: WidgetName | (new () => Widget)
  /** Labels and colours of the values of an enum, such as `{ in_progress: { label: 'In progress', color: 'amber' } }` */
  choices?: Readonly<Record<string, ChoiceOptions>>
  /** Text before the input, inside its box, such as `$` */
  prefix?: string
  /** Text after the input, inside its box, such as `min` */
  suffix?: string
  /** For the widget `money`: currency code such as `EUR` */
  currency?: string
  /** For the widget `money`: true if the column stores integers of the smallest unit, such as cents */
  minorUnits?: boolean
  /** For the widget `slug`: API name of the field that the slug is derived from */
  from?: string
  /**
   * For the widget `tags`: suggested tags; others are allowed. For a text of one line: suggested texts, true to suggest
   * the values of other records although they rarely repeat, or false for none. Default: values that repeat
   */
  suggestions?: readonly string[] | boolean
  /**
   * For a field with files: allowed extensions, such as `['pdf', 'svg']`. Default: those of
   * `vine.file({ extnames })`, otherwise images, PDF, office documents, texts, CSV and ZIP
   */
  fileTypes?: readonly string[]
  /**
   * False for numbers that are not quantities, such as codes, to omit thousands separators. Keys, references and
   * names that end in `id` or `year` never have thousands separators
   */
  grouped?: boolean
  /**
   * Shows the field only if other fields have the given values, by API name, such as `{ kind: ['book', 'ebook'] }`.
   * Otherwise the field is not required and a submitted value is ignored
   */
  visibleWhen?: VisibleWhen
  /**
   * Returns the initial value of a blank create form for the current user, such as
   * `(user) => user.attributes.branch_id`; null or undefined for none. A value in the form's URL takes precedence
   */
  default?: (user: AdminUser) => unknown
  /**
   * True to leave the field out of forms, for all users or for those for which a function returns true. A new record
   * gets the value of `default`. To hide a field everywhere, use roles
   */
  hidden?: boolean | ((user: AdminUser) => boolean)
  /** Options of the `pivotColumns` of a many-to-many relation, by column name */
  pivot?: Record<string, PivotOptions>
}

/** Returns true if the option `hidden` of a field leaves it out of the forms of a user. */
export function isHiddenFor(user: AdminUser, hidden: FieldOptions['hidden']): boolean {
  return typeof hidden === 'function' ? hidden(user) : hidden === true
}

/**
 * Options of `@AdminView`, all optional.
 */
export interface AdminViewOptions {
  /** Actions that the admin site provides. Default: all */
  allowedActions?: Iterable<Action>
  /** Schema of the create form and request body. Default: the schema of `@Crud`, otherwise derived from the table */
  createSchema?: ObjectSchema
  /** Schema of the update form and request body. Default: the schema of `@Crud`, otherwise derived from the table */
  updateSchema?: ObjectSchema
  /** Schema whose `updated_at` is set to the current time by every update; its other fields have no effect */
  updateInternalSchema?: ObjectSchema
  /** Only checked against the model; does not affect permanent deletion in the admin site */
  deleteSchema?: ObjectSchema
  /**
   * Schema whose fields are those of lists and items. Default: the schema of `@Crud`, otherwise all fields that are
   * not hidden
   */
  selectSchema?: ObjectSchema
  /** Subclass of `EndpointCreator` for the endpoints below `/crud`. Default: that of `@Crud` */
  endpointCreator?: CrudOptions['endpointCreator']
  /** A CRUD object, or a subclass of `LucidCrud`. Default: that of `@Crud` */
  crud?: CrudOptions['crud']
  /** Form fields that are not columns. Default: those of `@Crud` */
  virtualFields?: Iterable<string>
  /** Plural name of the model. Default: derived from the class name */
  label?: string
  /** Singular name of the model. Default: derived from the class name */
  singular?: string
  /** SVG path data in a 24 by 24 box, drawn in the sidebar */
  icon?: string
  /** Group of the model in the sidebar */
  group?: string
  /**
   * Title of a record: a column's API name, a template such as `{name}, {country}`, or a function. Default: a column
   * with a usual name such as `title` or `name`, otherwise the first text column
   */
  title?: string | ((item: Item) => string)
  /**
   * List columns: API names, also of related records such as `customer.city`, or subclasses of `ListColumn`. Default:
   * all visible columns
   */
  listColumns?: Iterable<string | (new () => ListColumn)>
  /** API names of the searchable columns. Default: all visible columns */
  searchableColumns?: Iterable<string>
  /**
   * API names of the columns for which lists show the most frequent values with counts; an empty list for none.
   * Default: enums, booleans and references
   */
  facets?: Iterable<string>
  /**
   * Summaries under the list, each a column and `sum`, `avg`, `min` or `max`, such as `us_gross:sum`. Default: none
   */
  summaries?: Iterable<string>
  /**
   * Names of `hasMany` and `hasOne` relations whose records are listed below a record; an empty list for none.
   * Default: every `hasMany` to a model of the site
   */
  related?: Iterable<string>
  /**
   * `hasMany` and `hasOne` relations whose records are rows in the form: names, or objects such as
   * `{ relation: 'items', fields: ['quantity'], sort: 'position' }`
   */
  inlines?: Iterable<InlineOption>
  /**
   * Names of `manyToMany` relations that are fields of forms; an empty list for none. Default: every `manyToMany` to
   * a model of the site
   */
  manyToMany?: Iterable<string>
  /** Order of lists, such as `name`, `-price` or `-ordered_on,-id`. Default: by key, newest first */
  defaultSort?: string
  /**
   * API name of a column of whole numbers that stores the order of the records. Users move rows in lists and among
   * inline rows, and a new record comes last. Lists have this order unless `defaultSort` is set
   */
  orderBy?: string
  /** Page size, 1 to 100, until the user chooses another one. Default: 10 */
  rowsPerPage?: number
  /**
   * Layout of the form: API names of fields, and return values of `section` and `tab`. Fields that the layout does not
   * contain are at the end. Default: all fields in the order of the schema, in two columns
   */
  form?: Iterable<FormPart>
  /** Options of fields, such as label, help and widget, by API name */
  fields?: Record<string, FieldOptions>
  /**
   * Allowed changes of enums, as `transitions` of `@Crud`: `{ status: { draft: ['confirmed'] } }`. The rules apply to
   * every write of the model, in the API too
   */
  transitions?: CrudOptions['transitions']
  /** Bulk actions, in addition to deletion */
  bulkActions?: Iterable<new () => BulkAction>
  /** Actions on one record, on its page and in its row of the list; subclasses of `RecordAction` */
  recordActions?: Iterable<new () => RecordAction>
  /** Functions that limit a query to the records that a role can access, by scope name */
  scopes?: Record<string, Scope>
  /** Edge templates, relative to resources/views, that replace those of single pages */
  templates?: { list?: string; create?: string; update?: string }
  /** Panel above or below the form of the update page, or several in order */
  panel?: UpdatePanel | readonly UpdatePanel[]
}
