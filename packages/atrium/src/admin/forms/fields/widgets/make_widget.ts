import type { HttpContext } from '@adonisjs/core/http'
import { numberOrDigits, parseJson, writeJson } from '#base/values/json'
import { UnreadableText } from '../../../text/errors.js'
import type { ShownCell } from '../../../list/cell.js'
import type { FieldOptions } from '../../../views/view_options.js'
import { plainItems } from '../../../text/plain_text.js'
import { FormWidget } from './form_widget.js'
import { MarkdownWidget } from './markdown_widget.js'
import { MoneyWidget } from './money_widget.js'
import { SlugWidget } from './slug_widget.js'
import { TagsWidget } from './tags_widget.js'

const COLOUR = /^#[\da-f]{6}$/i
const SHORT = /^#([\da-f])([\da-f])([\da-f])$/i

/** A colour as `#rrggbb`. */
class ColourWidget extends FormWidget {
  readonly template = 'admin/partials/fields/colour'
  readonly sheet = 'colour_field.css'
  readonly cellControl = 'input'
  readonly hasBox = true

  async data(_ctx: HttpContext, _name: string, [value]: string[]) {
    return { colour: COLOUR.test(value ?? '') ? value : null }
  }

  attributesFrom() {
    return { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' }
  }

  /** @throws UnreadableText */
  read(values: string[]): string {
    const text = values[values.length - 1].replace(SHORT, '#$1$1$2$2$3$3')
    if (COLOUR.test(text)) return text.toLowerCase()
    throw new UnreadableText('colour', 'must be a colour such as #1a7f37')
  }

  /**
   * Uses an SVG image, as the content security policy blocks style attributes. Null for a value that is not a colour.
   */
  cell(value: unknown): ShownCell | null {
    if (typeof value !== 'string' || !COLOUR.test(value)) return null
    const swatch = `<svg class="value-swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${value}"/></svg>`
    return { kind: 'colour', text: value, markup: `${swatch} ${value}` }
  }
}

/** The properties of a field that its widget needs. */
interface WidgetField {
  /** Type of the column; undefined for a field that is not a column */
  kind: string | undefined
  /** True if the schema declares a list */
  isList: boolean
  /** True if the schema accepts only numbers */
  strict: boolean
  /** Maximum number of characters; `Infinity` without a limit */
  most: number
  isCreate: boolean
}

type Make = (options: FieldOptions, field: WidgetField) => FormWidget

const MAKERS = new Map<unknown, Make>(
  Object.entries<Make>({
    money: ({ currency, minorUnits = false }, { kind, strict }) =>
      new MoneyWidget({
        currency: currency!,
        minorUnits,
        isInteger: kind === 'integer',
        strict,
      }),
    tags: ({ suggestions }, { kind, isList }) =>
      new TagsWidget({ suggestions: textsOf(suggestions), isText: kind === 'text' && !isList }),
    markdown: () => new MarkdownWidget(),
    slug: ({ from }, { most, isCreate }) => new SlugWidget({ from: from!, most, isCreate }),
    colour: () => new ColourWidget(),
  })
)

function textsOf(suggestions: FieldOptions['suggestions']): readonly string[] {
  return typeof suggestions === 'object' ? suggestions : []
}

/** Creates the widget of a field if its options name one of the additional widgets, otherwise returns undefined. */
export function makeWidget(options: FieldOptions, field: WidgetField): FormWidget | undefined {
  return MAKERS.get(options.widget)?.(options, field)
}

/**
 * Edits a database array: one item per line, or with JavaScript as chips. A list that lines can't represent (with null,
 * nested lists or duplicates) is edited as JSON.
 */
export class ListWidget extends TagsWidget {
  constructor() {
    super({ suggestions: [], isText: false })
  }

  read(values: string[]): unknown {
    const text = values.join('\n')
    const list = parseList(text)
    if (list !== null) return list
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  show(value: unknown): string[] {
    const text = listText(value)
    return text === '' ? [] : [text]
  }

  words(value: unknown): string {
    return plainItems(value)?.join(', ') ?? writeJson(value)
  }
}

function listText(value: unknown): string {
  const texts = plainItems(value)
  if (!texts) return writeJson(value)
  const isPlain = texts.every((one) => one !== '' && one.trim() === one && !/[\n\r]/.test(one))
  const text = texts.join('\n')
  const hasEachOnce = new Set(texts).size === texts.length
  return isPlain && hasEachOnce && parseList(text) === null ? text : writeJson(value)
}

function parseList(text: string): unknown[] | null {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const value = parseJson(text, numberOrDigits, undefined, ({ digits }) => digits)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
