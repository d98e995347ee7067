import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item, Scope, CrudOptions } from '#crud'
import type { ObjectSchema } from '#base/schema/object_schema'
import type { BulkAction } from './bulk_action.js'
import type { InlineOption } from './inline_option.js'
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

/** Options of a pivot column of a many-to-many relation. [R3] */
export interface PivotOptions {
  /** Default: derived from the name of the column */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /** Allowed values. Default: values that the database enumerates, otherwise any */
  choices?: Iterable<string | number>
}

/**
 * Options of one field, for lists and forms.
 */
export interface FieldOptions {
  /** Default: derived from the API name, such as `Release date` */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /** Widget of the form field: a built-in name or a subclass of `Widget`. Default: derived from the schema */
  widget?: WidgetName | (new () => Widget)
  /** Text before the input, inside its box, such as `$` */
  prefix?: string
  /** Text after the input, inside its box, such as `min` */
  suffix?: string
  /** Of the widget `money`: code of the currency, as in `EUR` [R13] */
  currency?: string
  /** Of the widget `money`: true if the column holds integers of the smallest unit, as in cents [R13] */
  minorUnits?: boolean
  /** Of the widget `slug`: API name of the field that it is made of [R13] */
  from?: string
  /** Of the widget `tags`: tags to choose from, in addition to any others [R13] */
  suggestions?: readonly string[]
  /**
   * Of a field with files: extensions of those that it takes, as in `['pdf', 'svg']`. Default: those of
   * `vine.file({ extnames })`, else images, PDF, office documents, texts, CSV and ZIP [B17]
   */
  fileTypes?: readonly string[]
  /**
   * False for numbers that are not quantities, such as codes, which have no separators of thousands. Keys, references
   * and names that end in `id` or `year` never have them
   */
  grouped?: boolean
  /**
   * Values of other fields with which the form has this one, by API name, as in `{ kind: ['book', 'ebook'] }`.
   * With others it is not required, and what is sent for it is ignored [R14]
   */
  visibleWhen?: VisibleWhen
  /**
   * Value of a blank create form for the user who opens it, as in `(user) => user.attributes.branch_id`; none where it
   * returns null or undefined. A value in the form's address replaces it
   */
  default?: (user: AdminUser) => unknown
  /** Options of the `pivotColumns` of a many-to-many relation, by column name [R3] */
  pivot?: Record<string, PivotOptions>
}

/**
 * Options of `@AdminView`, all optional. [P13]
 */
export interface AdminViewOptions {
  /** Actions that the admin site offers. Default: all */
  allowedActions?: Iterable<Action>
  /** Body and form of create. Default: `@Crud`'s, else derived from the table */
  createSchema?: ObjectSchema
  /** Body and form of update. Default: `@Crud`'s, else derived from the table */
  updateSchema?: ObjectSchema
  /**
   * Values that every update writes in addition to the form: its `updated_at` is set to the current
   * time [S44]
   */
  updateInternalSchema?: ObjectSchema
  /** Checked against the model; has no effect on purging records in the admin site [A24] */
  deleteSchema?: ObjectSchema
  /** Its fields are those of lists and items. Default: `@Crud`'s, else all that are not hidden */
  selectSchema?: ObjectSchema
  /** Subclass of `EndpointCreator` for the endpoints below `/crud`. Default: `@Crud`'s */
  endpointCreator?: CrudOptions['endpointCreator']
  /** The CRUD object, or a subclass of `LucidCrud`. Default: `@Crud`'s */
  crud?: CrudOptions['crud']
  /** Form fields that are not columns [P6]. Default: `@Crud`'s */
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
   * Title of a record: a column's API name, or a function. Default: the first column with a usual
   * name such as `title` or `name`
   */
  title?: string | ((item: Item) => string)
  /** List columns: API names or subclasses of `ListColumn`. Default: all visible columns */
  listColumns?: Iterable<string | (new () => ListColumn)>
  /** API names of the columns that the search covers. Default: all visible columns */
  searchableColumns?: Iterable<string>
  /**
   * API names of the columns whose most frequent values a list shows with their numbers; none for no facets.
   * Default: enums, booleans and references [L3]
   */
  facets?: Iterable<string>
  /**
   * Names of `hasMany` and `hasOne` relations whose records are listed below a record; none for no lists.
   * Default: every `hasMany` to a model of the site [R4]
   */
  related?: Iterable<string>
  /**
   * `hasMany` and `hasOne` relations whose records are rows in the form: names, or objects as
   * `{ relation: 'items', fields: ['quantity'], sort: 'position' }` [R2]
   */
  inlines?: Iterable<InlineOption>
  /**
   * Names of `manyToMany` relations that are fields of the forms; none for no such fields. Default: every one to a
   * model of the site [R3]
   */
  manyToMany?: Iterable<string>
  /** As in `name` or `-price`. Default: by key, newest first [B16] */
  defaultSort?: string
  /** Rows of a page, 1 to 100, until the user chooses another number. Default: 10 */
  rowsPerPage?: number
  /**
   * Layout of the form: API names of fields, and what `section` and `tab` return. Fields that it does not name
   * are at the end. Default: all fields in the order of the schema, in two columns [R1]
   */
  form?: Iterable<FormPart>
  /** Label, help and widget of fields, by API name */
  fields?: Record<string, FieldOptions>
  /** Actions on the selected records, in addition to deleting */
  bulkActions?: Iterable<new () => BulkAction>
  /** Functions that narrow a query to the records that a role reaches, by scope name [U3] */
  scopes?: Record<string, Scope>
  /** Edge templates, relative to resources/views, that replace single pages */
  templates?: { list?: string; create?: string; update?: string }
  /** Panel next to the form of the update page, or several in their order */
  panel?: UpdatePanel | readonly UpdatePanel[]
}
