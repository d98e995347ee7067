import type { Column } from '#base/columns/column'
import type { Item } from '#crud'
import type { Reference } from '../relations/references.js'
import { type ShownCell, isInvisible } from './cell.js'
import type { ListColumn } from './list_column.js'
import type { JoinedTitles } from './joined_titles.js'

/**
 * Presentation of a column.
 */
export interface ColumnStyle {
  /** Class names, each after a space, of its header and cells */
  style: string
  /**
   * True for the column that identifies records: it links to them and stays visible when scrolling
   */
  isLead: boolean
  /**
   * Attribute of its cells, after a space: the name of the column, where narrow screens show it next to the
   * value; empty where they leave it out
   */
  card: string
}

/**
 * Header cell of a list column.
 */
export interface Heading extends ColumnStyle {
  name: string
  label: string
  numeric: boolean
  /** Order of the list if this is the first column it is sorted by; undefined if it can't be sorted by it */
  sorted: 'ascending' | 'descending' | 'none' | undefined
  /** URL that sorts by this column alone, or toggles its direction */
  url: string | undefined
  /** Its order, if the list is sorted by another column first */
  also: 'ascending' | 'descending' | undefined
  /** Its place among several columns that the list is sorted by */
  place: { number: number; label: string } | undefined
}

/**
 * A row of the list.
 */
export interface Row {
  /** Key as in paths, without the leading slash; empty for a row of a database view without one */
  key: string
  /** Title of the record, cut */
  title: string
  /** Label of its checkbox */
  label: string
  isDeleted: boolean
  cells: ShownCell[]
}

/** A column of the list: a model column, a computed property, or a custom column. */
export interface TableColumn {
  name: string
  label: string
  numeric: boolean
  sortBy: Column | undefined
  column?: Column
  reference?: Reference
  /** True if every value is one of a list */
  isChoice?: boolean
  own?: ListColumn
}

/** Titles of referenced records, by value of the foreign key as text */
export type Titles = Map<string, string>

/** Titles that are joined to the records, by name of the list column */
export type Joins = ReadonlyMap<string, JoinedTitles>

export const NO_JOINS: Joins = new Map()

/**
 * Result of the joined titles.
 */
export interface Joined {
  joins: Joins
  /** Additional columns of each record */
  extras: ReadonlyArray<Record<string, unknown>>
}

export function valuesOf(items: Item[], name: string): unknown[] {
  return items.map((item) => item[name])
}

export function titlesIn(
  rows: Joined['extras'],
  values: readonly unknown[],
  { titleIn }: JoinedTitles
): Titles {
  const titles: Titles = new Map()
  for (const [index, value] of values.entries()) {
    const title = titleIn(rows[index])
    if (title !== undefined) titles.set(String(value), title)
  }
  return titles
}

/** A text that says nothing gets no link: the title of the record is in its place. */
export function linkedCell(cell: ShownCell, title: string, href: string): ShownCell {
  const isEmpty = cell.kind === 'null' || isInvisible(cell.text.replace(/⟨U\+[\dA-F]+⟩/g, ''))
  if (isEmpty) return { kind: 'text', text: title, href }
  const { whole, ...rest } = cell
  return { ...rest, ...(whole !== undefined && { title: whole }), href }
}
