import { isDeepStrictEqual } from 'node:util'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '../columns/column.js'

type Row = Record<string, unknown>

interface Source {
  row: Row
  /** As they were made of the row, to recognise those that were set since then */
  attributes: Row
}

/** By record, and by its `$attributes` */
const SOURCES = new WeakMap<object, Source>()

/**
 * Remembers the exact values of a record, which has what an ordinary connection of Lucid made of them.
 *
 * @param row  exact values by column name
 */
export function noteExactRow(record: LucidRow, row: Row): void {
  const source = { row, attributes: { ...record.$attributes } }
  SOURCES.set(record, source)
  SOURCES.set(record.$attributes, source)
}

/**
 * The stored value behind an attribute, in the engine's own form; the attribute if it was set since the record was
 * read, or if the model makes it itself.
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

/** Remembers the exact values of a record for a copy of it. */
export function shareExactRow(copy: LucidRow, record: LucidRow): void {
  const source = SOURCES.get(record)
  if (source) noteExactRow(copy, source.row)
}

/**
 * A copy whose exact values are known as those of the record are.
 *
 * @param attributes  `$attributes` or `$original` of the record
 */
export function copyAttributes(record: LucidRow, attributes: Row = record.$attributes): Row {
  const copy = { ...attributes }
  const source = SOURCES.get(record)
  if (source) SOURCES.set(copy, source)
  return copy
}
