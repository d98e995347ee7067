import type { Item, LucidCrud, Scope } from '#crud'
import type { EndpointCreatorClass, LucidCrudClass, ObjectSchema } from '#crud/internals'
import type { BulkAction } from './bulk/bulk_action.js'
import type { UpdatePanel } from './forms/update_panel.js'
import type { Widget, WidgetName } from './forms/fields/widget.js'
import type { ListColumn } from './list/list_column.js'
import type { Action } from './permissions/actions.js'

/**
 * Options of one field, for lists and forms.
 */
export interface FieldOptions {
  /** Default: the API name in words, as in `Release date` */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /**
   * Widget of the form field: a built-in name or a subclass of `Widget`. Default: derived from the
   * schema
   */
  widget?: WidgetName | (new () => Widget)
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
  endpointCreator?: EndpointCreatorClass
  /** The CRUD object, or a subclass of `LucidCrud`. Default: `@Crud`'s */
  crud?: LucidCrud<any> | LucidCrudClass
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
  /** As in `name` or `-price`. Default: by key, newest first [B16] */
  defaultSort?: string
  /** Label, help and widget of fields, by API name */
  fields?: Record<string, FieldOptions>
  /** Actions on the selected records, in addition to deleting */
  bulkActions?: Iterable<new () => BulkAction>
  /** Functions that narrow a query to the records that a role reaches, by scope name [U3] */
  scopes?: Record<string, Scope>
  /** Edge templates, relative to resources/views, that replace single pages */
  templates?: { list?: string; create?: string; update?: string }
  /** Panel beside the form of the update page */
  panel?: UpdatePanel
}
