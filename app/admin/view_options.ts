import type { Item, LucidCrudClass, EndpointCreatorClass } from '#crud/types'
import type { LucidCrud } from '#crud'
import type { ObjectSchema } from '#crud/schema/object_schema'
import type { BulkAction } from './bulk/bulk_action.js'
import type { UpdatePanel } from './forms/update_panel.js'
import type { Widget } from './forms/fields/widget.js'
import type { ListColumn } from './list/list_column.js'

export const ACTIONS = ['view', 'create', 'update', 'delete'] as const

/** What may be done with a model in the admin site. [S26, B14] */
export type Action = (typeof ACTIONS)[number]

/**
 * How one field is called and shown, in lists and forms.
 */
export interface FieldOptions {
  /** Default: the wire name in words, as in `Release date` */
  label?: string
  /** A line below the field of the form */
  help?: string
  /** What the form shows for it: one of the kinds it knows, or a class of one's own. Default: by the schema */
  widget?: WidgetName | (new () => Widget)
}

export const WIDGETS = [
  'text',
  'textarea',
  'number',
  'checkbox',
  'date',
  'datetime-local',
  'time',
  'select',
  'multi-select',
  'email',
  'url',
  'password',
  'json',
  'file',
] as const

/** The kinds of form field. [B17] */
export type WidgetName = (typeof WIDGETS)[number]

/**
 * The options of `@AdminView`. All of them may be left out. [P13]
 */
export interface AdminViewOptions {
  /** What may be done in the admin site. Default: everything */
  allowedActions?: Iterable<Action>
  /** Body and form of create. Default: `@Crud`'s, else derived from the table */
  createSchema?: ObjectSchema
  /** Body and form of update. Default: `@Crud`'s, else derived from the table */
  updateSchema?: ObjectSchema
  /** What an update writes beside its form: an `updated_at` in it is set to the current time [S44] */
  updateInternalSchema?: ObjectSchema
  /** Checked against the model; deleting for good does not depend on it here [A24] */
  deleteSchema?: ObjectSchema
  /** Its fields are what the list and the item hold. Default: `@Crud`'s, else all that are not hidden */
  selectSchema?: ObjectSchema
  /** Subclass of `EndpointCreator` for the endpoints below `/crud`. Default: `@Crud`'s */
  endpointCreator?: EndpointCreatorClass
  /** The CRUD object, or a subclass of `LucidCrud`. Default: `@Crud`'s */
  crud?: LucidCrud<any> | LucidCrudClass
  /** Form fields that are no columns [P6]. Default: `@Crud`'s */
  virtualFields?: Iterable<string>
  /** What the model is called, in the plural. Default: from the class name */
  label?: string
  /** What one record is called. Default: from the class name */
  singular?: string
  /** SVG path data in a box of 24 by 24, drawn in the sidebar */
  icon?: string
  /** The group of the sidebar that it stands in */
  group?: string
  /** What a record is called: a column's wire name, or a function. Default: the first that names things */
  title?: string | ((item: Item) => string)
  /** Columns of the list, by wire name, or classes of one's own. Default: all that answers hold */
  listColumns?: Iterable<string | (new () => ListColumn)>
  /** What the list can be searched by, by wire name. Default: all columns that answers hold */
  searchableColumns?: Iterable<string>
  /** As in `name` or `-price`. Default: by key, the newest first [B16] */
  defaultSort?: string
  /** Label, help and widget of single fields, by wire name */
  fields?: Record<string, FieldOptions>
  /** What can be done with the selected records beside deleting them */
  bulkActions?: Iterable<new () => BulkAction>
  /** Edge templates, below resources/views, that take the place of single pages */
  templates?: { list?: string; create?: string; update?: string }
  /** What the update page shows below its form */
  panel?: UpdatePanel
}
