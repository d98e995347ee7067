import { isInvisible, escaped, plainItems, visibleText } from '../text/plain_text.js'
import type { Column } from '#base/columns/column'
import { writeJson } from '#base/values/json'
import { prettyJson } from '../text/json_text.js'
import { clockTime, writtenTime } from '../time/local_time.js'
import { presentZone, UTC } from '../time/time_zone.js'
import type { Cell, ListColumn } from '../views/list_column.js'

/**
 * A cell with its presentation.
 */
export interface ShownCell extends Cell {
  kind:
    | 'text'
    | 'number'
    | 'moment'
    | 'yes'
    | 'no'
    | 'null'
    | 'choice'
    | 'json'
    | 'tags'
    | 'colour'
    | 'image'
    | 'markdown'
  /** The whole value, to unfold below `text`, if that is only its beginning */
  whole?: string
  /** Markup of a widget, shown in the place of `text` */
  markup?: string
}

type Text = (key: string, data?: Record<string, unknown>) => string

/** Number of characters of a text that a cell shows */
const LONGEST_TEXT = 80

/* Browsers show no longer tooltip, and longer texts would inflate the page. */
export const LONGEST_TITLE = 10_000

/* Texts up to this length fit into a column of the table; those of wide characters are half as long. */
const FITTING = 40
const WIDE = /[^\0-\u02ff\u0370-\u05ff]/

/* Floats often have meaningless trailing digits. */
const MOST_DECIMALS = 6

/* No number is formatted with more. */
const MOST_EXACT_DECIMALS = 100

/** A number of many digits is a text. */
const NUMERAL = /^-?\d+(?:\.\d+)?$/

/** Decimal places of a type such as `decimal(10, 2)` */
const SCALE = /\(\s*\d+\s*,\s*(\d{1,2})\s*\)/

/* Browsers treat a backslash as a slash and skip line breaks: `/\\evil.test` is a URL of another
 * host. */
const LINK = /^(?:https?:\/\/|mailto:|\/(?![\t\n\r]*[/\\]))/i

/* Whole values that are links. A mail address has no sign that would begin the headers of a mail. */
const WEB_ADDRESS = /^https?:\/\/[^\s<>"]{1,2000}$/i
const MAIL_ADDRESS = /^[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+$/i

/**
 * Cuts a text to a number of characters, without splitting one.
 */
export function cutText(text: string, longest: number = LONGEST_TEXT): string {
  /* A character has at most two UTF-16 units, so the rest of a long text is not needed. */
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

/**
 * Cell with a text; the whole text is in `title` if it is cut, or if the table's column may be too narrow.
 */
export function textCell(text: string): ShownCell {
  if (text.length <= FITTING / 2) return { kind: 'text', text: visibleText(text) }
  const whole = visibleText(text.slice(0, 2 * LONGEST_TITLE + 2))
  const shown = cutText(whole)
  const fits = shown === whole && shown.length <= (WIDE.test(shown) ? FITTING / 2 : FITTING)
  return { kind: 'text', text: shown, ...(!fits && { title: cutText(whole, LONGEST_TITLE) }) }
}

/** Cell with a text; one that is an address as a whole is a link. */
function linkingCell(text: string): ShownCell {
  const cell = textCell(text)
  const isShort = text.length <= LONGEST_TEXT
  if (text.startsWith('http')) {
    const isAddress = WEB_ADDRESS.test(text) && visibleText(text) === text && URL.canParse(text)
    return isAddress ? { ...cell, href: text } : cell
  }
  return isShort && text.includes('@') && MAIL_ADDRESS.test(text)
    ? { ...cell, href: `mailto:${text}` }
    : cell
}

/** Items of a list that a cell shows */
export const SHOWN_ITEMS = 3

/**
 * The items of a list as badges, and the number of those that are not shown.
 */
export function listCell(items: readonly string[], text: Text, most = SHOWN_ITEMS): ShownCell {
  if (items.length === 0) return nullCell(text)
  const shown = items.slice(0, most).map((item) => {
    return `<span class="value-badge" dir="auto">${escaped(textCell(item).text)}</span>`
  })
  const more = items.length > shown.length ? ` +${items.length - shown.length}` : ''
  const all = textCell(items.join(', '))
  return {
    kind: 'tags',
    text: all.text,
    markup: `<span class="value-tags">${shown.join(' ')}${more}</span>`,
    ...(more !== '' && { title: all.title ?? all.text }),
  }
}

/** A list of plain values as badges, other JSON on one line, which unfolds if it is long. */
function jsonCell(value: unknown, text: Text): ShownCell {
  const items = plainItems(value)
  if (items) return listCell(items, text)
  const line = visibleText(writeJson(value))
  if (line.length <= FITTING) return { kind: 'json', text: line }
  const whole = cutText(visibleText(prettyJson(value)), LONGEST_TITLE)
  return { kind: 'json', text: cutText(line), whole }
}

/**
 * Cell with a value that is not a column's, or that the column computes itself.
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
      return value === null ? nullCell(text) : jsonCell(value, text)
    default:
      return textCell(String(value))
  }
}

/**
 * Cell of a custom list column. Its link may come from a record, so only links to web pages and
 * mail addresses stay: see `Cell`.
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
    text: cutText(visibleText(cell.text)),
    ...(href !== undefined && LINK.test(href) && { href }),
  }
}

/** Returns the cells of a column. */
export function cellsOf(
  column: Column,
  values: readonly unknown[],
  options: CellOptions
): ShownCell[] {
  return values.map(cellMaker(column, values, options))
}

/**
 * Returns the function that formats the values of one column, all in the same way.
 *
 * @param values      values of the page: numbers are shown with the same decimals
 * @param isGrouped   true for thousands separators, which identifiers do not have
 * @param isChoice    true if every value is one of a list
 * @param own         shows a value in the way of its widget; null for as if there was none
 */
export function cellMaker(
  column: Column,
  values: readonly unknown[],
  { isGrouped, isChoice = false, text, own }: CellOptions
): (value: unknown) => ShownCell {
  const show = isChoice ? choice : shows(column, values, isGrouped, text)
  return (value) =>
    value === null || value === undefined
      ? nullCell(text)
      : (own?.(value) ?? show(value) ?? valueCell(value, text))
}

export type Show = (value: unknown) => ShownCell | null

interface CellOptions {
  isGrouped: boolean
  isChoice?: boolean
  text: Text
  own?: Show
}

function shows(column: Column, values: readonly unknown[], isGrouped: boolean, text: Text): Show {
  /* A `serialize` function of the model may return anything. */
  if (column.serialize) return () => null
  switch (column.kind) {
    case 'integer':
    case 'number':
      return numbers(column, values, isGrouped)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? booleanCell(value, text) : null)
    case 'datetime':
      return moments(presentZone())
    case 'date':
      return (value) => momentCell(value, '')
    case 'json':
      return (value) => (typeof value === 'string' ? textCell(value) : jsonCell(value, text))
    case 'binary':
      return (value) => (typeof value === 'string' ? sizeCell(value, text) : null)
    default:
      return (value) => linkingCell(typeof value === 'string' ? value : String(value))
  }
}

function choice(value: unknown): ShownCell | null {
  if (typeof value !== 'string' || isInvisible(value)) return null
  return { ...textCell(value), kind: 'choice' }
}

/**
 * Formats all numbers with the decimal places of the column, else with those of the number with the most,
 * so that the decimal points align.
 */
function numbers(column: Column, values: readonly unknown[], isGrouped: boolean): Show {
  const [, scale] = (column.isDecimal && SCALE.exec(column.sqlType)) || []
  const most = column.isDecimal ? MOST_EXACT_DECIMALS : MOST_DECIMALS
  const decimals =
    scale !== undefined ? Number(scale) : Math.min(Math.max(0, ...values.map(decimalsOf)), most)
  return (value) => {
    const written = String(value)
    const isNumeral = typeof value === 'number' || NUMERAL.test(written)
    if (!isNumeral) return null
    const shown =
      quicklyFormatted(value, written, isGrouped, decimals) ??
      formatOf(isGrouped, decimals).format(value as number | `${number}`)
    return { kind: 'number', text: shown, ...(shown !== written && { title: written }) }
  }
}

/** Simple numbers, which nearly all are, can be formatted without `Intl.NumberFormat`. */
const DIGITS = /^(-?)(0|[1-9]\d{0,20})(?:\.(\d+))?$/

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

/** Cached, as creating one takes longer than formatting a page with it. */
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
  const [, decimals = ''] = /^-?\d+\.(\d*?)0*$/.exec(String(value)) ?? []
  return decimals.length
}

/** Cell of an API datetime, without its seconds, or date. */
function momentCell(value: unknown, zone: string): ShownCell | null {
  const text = writtenTime(String(value), { seconds: false })
  return text === null ? null : { kind: 'moment', text, title: `${value}${zone}` }
}

/** A datetime of the API, which is in UTC, as the clocks of a zone show it. [R12] */
function moments(zone: string): Show {
  if (zone === UTC) return (value) => momentCell(value, ` ${UTC}`)
  return (value) => {
    const local = typeof value === 'string' ? clockTime(value, zone) : null
    return local ? momentCell(local.time, ` ${local.offset}`) : momentCell(value, ` ${UTC}`)
  }
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
