import { Info } from 'luxon'
import type { Column } from '#crud/resource/column'
import { writeJson } from '#crud/values/json'
import type { Cell, ListColumn } from './list_column.js'

/**
 * A cell, and how it is set.
 */
export interface ShownCell extends Cell {
  kind: 'text' | 'number' | 'moment' | 'yes' | 'no' | 'null'
}

type Text = (key: string, data?: Record<string, unknown>) => string

/** As many characters of a text as a cell shows */
const LONGEST_TEXT = 80

/* A browser shows no more of a title, and a page of texts of a megabyte each would be no page. */
export const LONGEST_TITLE = 10_000

/* Floats are often given with digits that nobody meant. */
const MOST_DECIMALS = 6

/* Browsers take a backslash for a slash and skip ends of lines: `/\\evil.test` is another site's. */
const LINK = /^(?:https?:\/\/|mailto:|\/(?![\t\n\r]*[/\\]))/i

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?: ((?:[01]\d|2[0-3]):[0-5]\d):[0-5]\d)?$/
const MONTHS = Info.months('short', { locale: 'en' })

/**
 * Cuts a text after so many characters, never in the middle of one.
 */
export function cutText(text: string, longest: number = LONGEST_TEXT): string {
  /* No character has more than two units, so no more of a long text need be taken apart. */
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

/**
 * Whether there is nothing to see of a text, and so nothing to click on.
 */
export function isInvisible(text: string): boolean {
  return /^[\s\p{C}\p{Z}]*$/u.test(text)
}

/**
 * A cell that shows a text, the whole of it in the title if it had to be cut.
 */
export function textCell(text: string): ShownCell {
  const shown = cutText(text)
  return {
    kind: 'text',
    text: shown,
    ...(shown !== text && { title: cutText(text, LONGEST_TITLE) }),
  }
}

/**
 * A cell for a value that is of no column, or that its column makes itself.
 */
export function valueCell(value: unknown, text: Text): ShownCell {
  switch (typeof value) {
    case 'undefined':
      return nullCell(text)
    case 'boolean':
      return booleanCell(value, text)
    case 'number':
      return { kind: 'number', text: String(value) }
    case 'object':
      return value === null ? nullCell(text) : textCell(writeJson(value))
    default:
      return textCell(String(value))
  }
}

/**
 * A cell of a column of the view's own. What its link leads to may come from a record, so it is one
 * only where it leads to a page or to mail: see `Cell`.
 */
export function ownCell(
  value: Awaited<ReturnType<ListColumn['value']>>,
  numeric: boolean
): ShownCell {
  const { href, ...cell }: Cell = typeof value === 'string' ? { text: value } : value
  return {
    ...textCell(cell.text),
    ...(numeric && { kind: 'number' }),
    ...cell,
    text: cutText(cell.text),
    ...(href !== undefined && LINK.test(href) && { href }),
  }
}

/**
 * What shows the values of one column, all of them in the same manner.
 *
 * @param values      those of the page
 * @param isGrouped   whether large numbers have separators; numbers that name things have none
 */
export function cellsOf(
  column: Column,
  values: readonly unknown[],
  { isGrouped, text }: { isGrouped: boolean; text: Text }
): ShownCell[] {
  const show = shows(column, values, isGrouped, text)
  return values.map((value) =>
    value === null || value === undefined ? nullCell(text) : (show(value) ?? valueCell(value, text))
  )
}

type Show = (value: unknown) => ShownCell | null

function shows(column: Column, values: readonly unknown[], isGrouped: boolean, text: Text): Show {
  /* What the model makes of it may be anything. */
  if (column.serialize) return () => null
  switch (column.kind) {
    case 'integer':
    case 'number':
      return numbers(values, isGrouped)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? booleanCell(value, text) : null)
    case 'datetime':
      return (value) => momentCell(value, ' UTC')
    case 'date':
      return (value) => momentCell(value, '')
    case 'json':
      return (value) => textCell(typeof value === 'string' ? value : writeJson(value))
    case 'binary':
      return (value) => (typeof value === 'string' ? sizeCell(value, text) : null)
    default:
      return (value) => textCell(typeof value === 'string' ? value : String(value))
  }
}

/** All with as many decimals as the one that has most of them, so that the points stand in line. */
function numbers(values: readonly unknown[], isGrouped: boolean): Show {
  const decimals = Math.min(Math.max(0, ...values.map(decimalsOf)), MOST_DECIMALS)
  return (value) => {
    const written = String(value)
    const isNumeral = typeof value === 'number' || /^-?\d+$/.test(written)
    if (!isNumeral) return null
    const shown =
      quicklyFormatted(value, written, isGrouped, decimals) ??
      formatOf(isGrouped, decimals).format(value as number | `${number}`)
    return { kind: 'number', text: shown, ...(shown !== written && { title: written }) }
  }
}

/** Digits as they are: of a page of numbers, nearly all can be set without the many rules of a format. */
const DIGITS = /^(-?)(0|[1-9]\d{0,14})(?:\.(\d+))?$/

function quicklyFormatted(
  value: unknown,
  written: string,
  isGrouped: boolean,
  decimals: number
): string | undefined {
  const [, sign, whole, part = ''] = DIGITS.exec(written) ?? []
  if (whole === undefined || part.length > decimals || Object.is(value, -0)) return undefined
  let text = whole
  for (let end = whole.length - 3; isGrouped && end > 0; end -= 3) {
    text = `${text.slice(0, end)},${text.slice(end)}`
  }
  return sign + text + (decimals > 0 ? `.${part.padEnd(decimals, '0')}` : '')
}

const formats = new Map<string, Intl.NumberFormat>()

/** To make one takes longer than to format a page by it. */
function formatOf(isGrouped: boolean, decimals: number): Intl.NumberFormat {
  const key = `${isGrouped} ${decimals}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat('en', {
      useGrouping: isGrouped,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
    formats.set(key, format)
  }
  return format
}

function decimalsOf(value: unknown): number {
  if (Number.isInteger(value)) return 0
  const [, decimals = ''] = /^-?\d+\.(\d+)$/.exec(String(value)) ?? []
  return decimals.length
}

/** A wire's datetime or day. A page has many, and to parse and format one takes longer than all its cell. */
function momentCell(value: unknown, zone: string): ShownCell | null {
  const [, year, month, day, time] = MOMENT.exec(String(value)) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return null
  const text = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`
  return { kind: 'moment', text: time ? `${text}, ${time}` : text, title: `${value}${zone}` }
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function booleanCell(value: boolean, text: Text): ShownCell {
  return { kind: value ? 'yes' : 'no', text: text(value ? 'list.yes' : 'list.no') }
}

function nullCell(text: Text): ShownCell {
  return { kind: 'null', text: text('list.null') }
}

function sizeCell(base64: string, text: Text): ShownCell {
  return {
    kind: 'number',
    text: text('list.bytes', { bytes: Buffer.byteLength(base64, 'base64') }),
  }
}
