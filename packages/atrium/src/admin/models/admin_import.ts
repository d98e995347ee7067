import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { DateOrder, FoundOrder } from '../sheets/date_order.js'
import type { FileShape } from '../sheets/file_shape.js'
import { AdminModel, jsonColumn } from './admin_model.js'

/**
 * States of an import: `columns` while the fields for the file's columns are selected, `trying` and `tried` for the dry
 * run, `running` and `done` for the run.
 */
const IMPORT_STATES = ['columns', 'trying', 'tried', 'running', 'done', 'failed'] as const

export type ImportState = (typeof IMPORT_STATES)[number]

/** Mapping of the file's columns to fields. */
export interface ImportMapping {
  /** API name of the field for each column of the file; null: not imported */
  columns: Array<string | null>
  /** For columns with references, by position: whether they contain keys or titles. Default: keys */
  by: Record<number, 'key' | 'title'>
  /** Values of every row, for fields without a column, by API name; default: none */
  values?: Readonly<Record<string, FixedValue>>
}

/** A value that every row of a file gets. */
export interface FixedValue {
  value: unknown
  /** Texts of the field in the form */
  texts: readonly string[]
}

export interface ImportOptions {
  /** Order of day, month and year in dates of all columns; null: detected from the values of each column */
  dateOrder: DateOrder | null
  /** Time zone of datetimes without an offset */
  zone: string
}

/** Reason why a row cannot be imported. */
export interface ImportError {
  /** Line as in `FileRow` */
  line: number
  /** API name; null if the error concerns the row as a whole */
  field: string | null
  message: string
  /** Beginning of the cell; undefined if the error belongs to no column of the file, or the field is not shown */
  cell?: string
  /** Position of the cell's column, if the cell can be corrected: `cell` is the whole text then */
  column?: number
  /** Beginning of the row's cell in the title column, if that is not the invalid one */
  title?: string
}

/** Numbers of rows by effect, of a dry run or a run. */
export interface ImportCounts {
  new: number
  changed: number
  unchanged: number
  faulty: number
}

/** Preview of a row to be written. */
export interface ImportPreview {
  line: number
  /** Title of the record; null for a new one without a title */
  title: string | null
  kind: 'new' | 'changed'
  changes: Array<{ field: string; before: unknown; after: unknown }>
}

/** Order of dates that was detected from the values of a field's column */
export interface FieldOrder extends FoundOrder {
  /** API name of the field */
  field: string
}

/** Result of a dry run. */
export interface DryRun extends ImportCounts {
  /** The first errors */
  faults: ImportError[]
  /** Catalogue keys below `import.notes` of notes to read before the run */
  notes: string[]
  /** The first rows that would be written */
  preview: ImportPreview[]
  /** Detected order of dates, for the columns where the order matters and none was selected */
  dates?: FieldOrder[]
}

/** Progress of a run. */
export interface ImportProgress extends ImportCounts {
  /** The first errors */
  faults: ImportError[]
}

/**
 * An import: the file, the fields of the columns, and the results of the dry run and the run. Only `Imports` writes it.
 */
export default class AdminImport extends AdminModel {
  static table = 'admin_imports'

  @column({ isPrimary: true })
  declare id: number

  /** Owner, with whose permissions the import runs */
  @column()
  declare userId: number

  @column()
  declare username: string

  /** Class name of the model */
  @column()
  declare model: string

  /** Name of the uploaded file */
  @column()
  declare fileName: string

  @column({ serializeAs: null })
  declare fileKey: string

  @column({ consume: Number })
  declare bytes: number

  @column(jsonColumn)
  declare shape: FileShape

  @column(jsonColumn)
  declare mapping: ImportMapping

  /**
   * API name of the field that identifies the record of a row, several names separated by commas; null: all rows are
   * new
   */
  @column({ columnName: 'key_field' })
  declare key: string | null

  @column(jsonColumn)
  declare options: ImportOptions

  @column()
  declare state: ImportState

  /** Result of the dry run; null before it */
  @column({ ...jsonColumn, columnName: 'trial' })
  declare dryRun: DryRun | null

  /** Counts of the run */
  @column(jsonColumn)
  declare counts: ImportProgress | null

  /** Id of the job of the dry run, later of the job of the run */
  @column()
  declare jobId: number | null

  /** Id of the event `IMPORT`, after rows were written */
  @column()
  declare eventId: number | null

  @column.dateTime()
  declare createdAt: DateTime
}
