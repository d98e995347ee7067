import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { DateOrder, FoundOrder } from '../sheets/date_order.js'
import type { FileShape } from '../sheets/file_shape.js'
import { AdminModel, jsonColumn } from './admin_model.js'

/** `columns`: which column is which field is being chosen; then the trial, then the run. [D3] */
export const IMPORT_STATES = ['columns', 'trying', 'tried', 'running', 'done', 'failed'] as const

export type ImportState = (typeof IMPORT_STATES)[number]

/**
 * Which column of the file is which field.
 */
export interface ImportMapping {
  /** API name of the field for each column of the file; null: left out */
  columns: Array<string | null>
  /** For columns with references, by their position: keys or titles. Default: keys */
  by: Record<number, 'key' | 'title'>
}

export interface ImportOptions {
  /** The order of day, month and year in dates of all columns; null: as the values of each column show */
  dateOrder: DateOrder | null
  /** The time zone of datetimes without an offset */
  zone: string
}

/**
 * A reason why a row can't be imported.
 */
export interface ImportError {
  /** As in `FileRow` */
  line: number
  /** API name; null if it is about the row as a whole */
  field: string | null
  message: string
}

/** Effects of rows: planned, or done. */
export interface ImportCounts {
  new: number
  changed: number
  unchanged: number
  faulty: number
}

/**
 * A row as it would be written.
 */
export interface ImportPreview {
  line: number
  /** Of the record; null for a new one without a title */
  title: string | null
  kind: 'new' | 'changed'
  changes: Array<{ field: string; before: unknown; after: unknown }>
}

/** The order of dates that the values of a field's column show */
export interface FieldOrder extends FoundOrder {
  /** API name */
  field: string
}

/**
 * The result of a trial.
 */
export interface DryRun extends ImportCounts {
  /** The first ones */
  faults: ImportError[]
  /** Catalogue keys below `import.notes` of what to know before the run */
  notes: string[]
  /** The first rows that would be written */
  preview: ImportPreview[]
  /** In which order dates are written, for the columns where it counts and none was chosen */
  dates?: FieldOrder[]
}

/** Of a run, as far as it is. */
export interface ImportProgress extends ImportCounts {
  /** The first ones */
  faults: ImportError[]
}

/**
 * An import: its file, which column is which field, and what came of the trial and the run. Only `Imports` writes
 * it. [D3]
 */
export default class AdminImport extends AdminModel {
  static table = 'admin_imports'

  @column({ isPrimary: true })
  declare id: number

  /** Owner, with whose permissions it runs */
  @column()
  declare userId: number

  @column()
  declare username: string

  /** Class name of the model */
  @column()
  declare model: string

  /** As it was uploaded */
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

  /** API name of the field by which rows find their records, several separated by commas; null: all are new */
  @column({ columnName: 'key_field' })
  declare key: string | null

  @column(jsonColumn)
  declare options: ImportOptions

  @column()
  declare state: ImportState

  @column(jsonColumn)
  declare trial: DryRun | null

  /** Of the run */
  @column(jsonColumn)
  declare counts: ImportProgress | null

  /** The job of the trial, then that of the run */
  @column()
  declare jobId: number | null

  /** The event `IMPORT`, once something was written */
  @column()
  declare eventId: number | null

  @column.dateTime()
  declare createdAt: DateTime
}
