import { decimalPlaces, isBeyondDecimal } from '#base/values/numbers'
import { fromQuery } from '#base/values/from_query'
import { writeJson } from '#base/values/json'
import type { ColumnIntrospection } from '#base/database/introspection'
import type { ColumnKind } from '#base/columns/column_kind'
import type { PivotTable } from '#base/database/pivot_table'
import string from '@adonisjs/core/helpers/string'
import type { Site } from '../../views/site.js'
import type { ManyToMany } from '../../relations/many_to_many.js'
import type { PivotOptions } from '../../views/view_options.js'
import { textsOf, valueOf } from '../fields/field_texts.js'
import type { FormField, ValueType } from '../fields/form_field.js'
import type { WidgetName } from '../../views/widget.js'

/* Maximum length of a text in a single-line input */
const LONGEST_LINE = 255

/** A column of pivot rows that forms show as a cell. */
export interface PivotColumn {
  name: string
  kind: ColumnKind
  facts: ColumnIntrospection
  /** Form field of the column, with the same name */
  field: FormField
}

/**
 * Returns the pivot columns that forms show: those that the model declares, without binary columns and columns that
 * the database or Lucid sets.
 *
 * @param options  options of the columns, by name
 */
export function pivotColumnsOf(
  { relation }: Pick<ManyToMany, 'relation'>,
  table: PivotTable,
  options: Record<string, PivotOptions> = {}
): PivotColumn[] {
  return relation.columns.flatMap((name): PivotColumn[] => {
    const column = table.columns.find((one) => one.name === name)
    const facts = table.column(name)
    if (!column || !facts || facts.autoIncrement) return []
    if (column.kind === 'binary') return []
    const field = fieldOf(name, column.kind, facts, options[name] ?? {})
    return [{ name, kind: column.kind, facts, field }]
  })
}

/** Returns the texts of a stored value. */
export function pivotTexts({ field }: PivotColumn, value: unknown): string[] {
  return value === null || value === undefined ? [] : textsOf(field, value)
}

/** A value of a cell, or an error message. */
type PivotValue = { value: unknown; error?: undefined } | { error: string }

/**
 * Parses a cell.
 *
 * @returns the value for the database, which is undefined for an empty cell whose column has a default; or an error
 */
export function readPivotCell(
  site: Pick<Site, 'text'>,
  { facts, field, kind }: PivotColumn,
  texts: readonly string[]
): PivotValue {
  const { label } = field
  const typed = texts
    .map((text) => text.replace(/\r\n?/g, '\n'))
    .filter((text) => text.trim() !== '')
  if (typed.length === 0) {
    if (facts.nullable) return { value: null }
    return facts.hasDefault
      ? { value: undefined }
      : { error: site.text('form.required', { label }) }
  }
  const text = typed.at(-1)!
  const isLong = facts.maxLength !== null && [...text].length > facts.maxLength
  if (isLong) return { error: site.text('manyToMany.tooLong', { label, most: facts.maxLength }) }
  const value = convert(kind, facts, field, typed)
  if (value === null || !isChoice(field, text) || !isInRange(facts, value)) {
    return { error: site.text('manyToMany.noValue', { label, text: text.slice(0, 80) }) }
  }
  return { value }
}

function convert(
  kind: ColumnKind,
  { integerRange, special }: ColumnIntrospection,
  field: FormField,
  typed: string[]
): unknown {
  const text = typed.at(-1)!
  try {
    const value = valueOf(field, typed)
    if (kind === 'json') return value === undefined ? null : writeJson(value)
    if (kind === 'boolean') return typeof value === 'boolean' ? value : null
    const plain = kind === 'text' ? text : String(value ?? text).trim()
    const column = {
      kind,
      isDecimal: kind === 'number',
      isUnsigned: (integerRange?.most ?? 0n) >= 2n ** 63n,
      isSpecial: (one: unknown): one is string => special?.test(String(one)) === true,
    }
    return fromQuery(column, kind === 'number' ? text.trim() : plain)
  } catch {
    return null
  }
}

function isChoice({ choices, valueType }: FormField, text: string): boolean {
  return valueType === 'boolean' || !choices || choices.map(String).includes(text)
}

function isInRange({ decimalRange, integerRange }: ColumnIntrospection, value: unknown): boolean {
  if (integerRange && /^-?\d+$/.test(String(value))) {
    const number = BigInt(String(value))
    return number >= integerRange.least && number <= integerRange.most
  }
  if (!decimalRange) return true
  const number = value as number | string
  return decimalPlaces(number) <= decimalRange.scale && !isBeyondDecimal(number, decimalRange.most)
}

const WIDGETS: Record<ColumnKind, [WidgetName, ValueType]> = {
  text: ['text', 'text'],
  uuid: ['text', 'text'],
  integer: ['number', 'number'],
  number: ['number', 'number'],
  boolean: ['checkbox', 'boolean'],
  date: ['date', 'date'],
  datetime: ['datetime-local', 'datetime'],
  time: ['time', 'time'],
  json: ['json', 'json'],
  binary: ['text', 'text'],
}

function fieldOf(
  name: string,
  kind: ColumnKind,
  facts: ColumnIntrospection,
  { choices, help, label }: PivotOptions
): FormField {
  const [widget, valueType] = WIDGETS[kind]
  const isOpen = kind === 'boolean' && facts.nullable
  const listed = isOpen ? [true, false] : (choices && [...choices]) || facts.choices || undefined
  const isLong = kind === 'text' && (facts.maxLength ?? 0) > LONGEST_LINE
  return {
    name,
    label: label ?? (string.sentenceCase(name) || name),
    help,
    prefix: undefined,
    suffix: undefined,
    widget: listed ? 'select' : isLong ? 'textarea' : widget,
    valueType,
    required: !facts.nullable && !facts.hasDefault && kind !== 'boolean',
    condition: undefined,
    nullable: facts.nullable,
    emptied: null,
    column: undefined,
    virtual: true,
    multiple: false,
    choices: listed,
    reference: undefined,
    attributes: attributesOf(kind, facts, listed !== undefined),
    hidden: false,
    secret: false,
    initial: facts.defaultText && !listed ? [facts.defaultText] : [],
    asTyped: false,
    strict: false,
    takesFile: false,
    grouped: false,
  }
}

function attributesOf(kind: ColumnKind, { maxLength }: ColumnIntrospection, isListed: boolean) {
  const attributes: FormField['attributes'] = {}
  if (isListed) return attributes
  if (kind === 'integer') attributes.step = 1
  if (kind === 'number') attributes.step = 'any'
  if (kind === 'datetime' || kind === 'time') attributes.step = 1
  if (kind === 'text' && maxLength !== null) attributes.maxlength = maxLength * 2
  return attributes
}
