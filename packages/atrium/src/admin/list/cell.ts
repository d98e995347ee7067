import { isInvisible, escaped, plainItems, visibleText } from '../text/plain_text.js'
import type { Column } from '#base/columns/column'
import { writeJson } from '#base/values/json'
import { prettyJson } from '../text/json_text.js'
import { clockTime, writtenTime } from '../time/local_time.js'
import { presentZone, UTC } from '../time/time_zone.js'
import type { ChoiceOptions } from '../views/choice_options.js'
import type { Cell, ListColumn } from '../views/list_column.js'

/** A cell with formatting. */
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
    | 'files'
    | 'markdown'
  /** Complete value, to unfold, if `text` is only the beginning */
  whole?: string
  /** Markup of a widget, shown instead of `text` */
  markup?: string
  /** Colour of a choice */
  color?: string
}

type Text = (key: string, data?: Record<string, unknown>) => string

/** Maximum number of characters of a text in a cell */
const LONGEST_TEXT = 80

/* Maximum number of characters of a tooltip; browsers do not show longer ones, and they would inflate the page. */
export const LONGEST_TITLE = 10_000

/* Maximum length of a text that fits into a table column; half of it for texts with wide characters. */
const FITTING = 40
const WIDE = /[^\0-\u02ff\u0370-\u05ff]/

/* Maximum decimals of a float, as floats often have meaningless trailing digits. */
const MOST_DECIMALS = 6

/* Maximum decimals that `Intl.NumberFormat` supports */
const MOST_EXACT_DECIMALS = 100

/** Matches numbers that are stored as text because they have many digits */
const NUMERAL = /^-?\d+(?:\.\d+)?$/

/** Decimal places of a type such as `decimal(10, 2)` */
const SCALE = /\(\s*\d+\s*,\s*(\d{1,2})\s*\)/

/*
 * Allowed links. Browsers treat a backslash as a slash and ignore line breaks, so `/\\evil.test` would be a URL of
 * another host.
 */
const LINK = /^(?:https?:\/\/|mailto:|\/(?![\t\n\r]*[/\\]))/i

/*
 * Match values that consist of a single link. The pattern of email addresses excludes characters that would add headers
 * to a message.
 */
const WEB_ADDRESS = /^https?:\/\/[^\s<>"]{1,2000}$/i
const MAIL_ADDRESS = /^[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+$/i

/** Shortens a text to a number of characters, without splitting a surrogate pair. */
export function cutText(text: string, longest: number = LONGEST_TEXT): string {
  /* A character has at most two UTF-16 units, so the rest of a long text need not be split. */
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

/**
 * Returns a cell with a text. `title` contains the longer text if it is cut or may be wider than the table's column.
 */
export function textCell(text: string): ShownCell {
  if (text.length <= FITTING / 2) return { kind: 'text', text: visibleText(text) }
  const whole = visibleText(text.slice(0, 2 * LONGEST_TITLE + 2))
  const shown = cutText(whole)
  const fits = shown === whole && shown.length <= (WIDE.test(shown) ? FITTING / 2 : FITTING)
  return { kind: 'text', text: shown, ...(!fits && { title: cutText(whole, LONGEST_TITLE) }) }
}

/** Returns a cell with a text, which is a link if the whole text is a URL or an email address. */
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

/** Maximum number of list items that a cell shows */
const SHOWN_ITEMS = 3

/** Returns a cell with list items as badges, and the number of items that are not shown. */
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

/**
 * Returns a cell with a list of plain values as badges, or with other JSON on one line, which unfolds if it is long.
 */
function jsonCell(value: unknown, text: Text): ShownCell {
  const items = plainItems(value)
  if (items) return listCell(items, text)
  const line = visibleText(writeJson(value))
  if (line.length <= FITTING) return { kind: 'json', text: line }
  const whole = cutText(visibleText(prettyJson(value)), LONGEST_TITLE)
  return { kind: 'json', text: cutText(line), whole }
}

/** Returns a cell for a value without a column, or a value that the column's `serialize` has computed. */
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
 * Returns the cell of a custom list column. The link may come from record data, so only links to pages of this site,
 * web pages and email addresses are accepted: see `Cell`.
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

export function cellsOf(
  column: Column,
  values: readonly unknown[],
  options: CellOptions
): ShownCell[] {
  return values.map(cellMaker(column, values, options))
}

/**
 * Returns a function that formats the values of one column consistently.
 *
 * @param values      values of the page; all numbers get the same number of decimals
 * @param isGrouped   true for thousands separators, which identifiers do not have
 * @param isChoice    true if the values are from a fixed list
 * @param own         formats a value with its widget; null to use the default format
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
  /* A custom `serialize` of the model may return any type, so the value determines the cell. */
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

/** Returns the cell of a choice that has a label or a colour. */
export function choiceCell(value: unknown, { label, color }: ChoiceOptions): ShownCell {
  const cell = textCell(label ?? String(value))
  return { ...cell, kind: 'choice', ...(color && { color }) }
}

function choice(value: unknown): ShownCell | null {
  if (typeof value !== 'string' || isInvisible(value)) return null
  return { ...textCell(value), kind: 'choice' }
}

/**
 * Formats all numbers with the same number of decimals, so that the decimal points align: the scale of the column,
 * otherwise the maximum of the values.
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

/**
 * Matches simple numbers, which are the most frequent and can be formatted without the slower `Intl.NumberFormat`.
 */
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

/** Returns a number format. Cached, as creating one takes longer than formatting a page with it. */
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

/**
 * Returns a cell for a date or datetime of the API, without seconds; the tooltip has the whole value and the zone. Null
 * for any other text.
 */
function momentCell(value: unknown, zone: string): ShownCell | null {
  const text = writtenTime(String(value), { seconds: false })
  return text === null ? null : { kind: 'moment', text, title: `${value}${zone}` }
}

/** Returns a function that converts API datetimes from UTC to a time zone. */
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
