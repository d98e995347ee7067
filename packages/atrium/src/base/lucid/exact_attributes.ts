import { isDeepStrictEqual } from 'node:util'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '../columns/column.js'

type Row = Record<string, unknown>

interface Source {
  row: Row
  /** Attributes as they were created from the row, to detect attributes that were set since then */
  attributes: Row
}

/** Sources by record, and by the record's `$attributes` */
const SOURCES = new WeakMap<object, Source>()

/**
 * Stores the exact values of a record whose attributes come from an ordinary Lucid connection.
 *
 * @param row  exact values by column name
 */
export function noteExactRow(record: LucidRow, row: Row): void {
  const source = { row, attributes: { ...record.$attributes } }
  SOURCES.set(record, source)
  SOURCES.set(record.$attributes, source)
}

/**
 * Returns the stored value of an attribute, in the engine's form. Returns the attribute if it was set since the record
 * was read, or if the model converts it.
 *
 * @param attributes  a record, its `$attributes`, or any values by attribute name
 */
export function exactValue(attributes: object, column: Column, attribute: unknown): unknown {
  const source = SOURCES.get(attributes)
  if (!source || column.consumesItself || !(column.name in source.row)) return attribute
  const read = source.attributes[column.attribute]
  const isAsRead =
    typeof read === 'object' ? isDeepStrictEqual(attribute, read) : Object.is(attribute, read)
  return isAsRead ? source.row[column.name] : attribute
}

/** Stores the exact values of a record for a copy of the record, too. */
export function shareExactRow(copy: LucidRow, record: LucidRow): void {
  const source = SOURCES.get(record)
  if (source) noteExactRow(copy, source.row)
}

/**
 * Returns a copy of attributes, with the same exact values as the record.
 *
 * @param attributes  `$attributes` or `$original` of the record
 */
export function copyAttributes(record: LucidRow, attributes: Row = record.$attributes): Row {
  const copy = { ...attributes }
  const source = SOURCES.get(record)
  if (source) SOURCES.set(copy, source)
  return copy
}
