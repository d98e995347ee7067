import type { FieldOptions } from '../../../view_options.js'
import { ColourWidget } from './colour_widget.js'
import type { FormWidget } from './form_widget.js'
import { MarkdownWidget } from './markdown_widget.js'
import { MoneyWidget } from './money_widget.js'
import { SlugWidget } from './slug_widget.js'
import { TagsWidget } from './tags_widget.js'

/**
 * The properties of a field that its widget has to know.
 */
export interface WidgetField {
  /** Type of the column; undefined for a field that is none */
  kind: string | undefined
  /** True if the schema declares a list */
  isList: boolean
  /** True if the schema accepts numbers only */
  strict: boolean
  /** Most characters of its text */
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
    tags: ({ suggestions = [] }, { kind, isList }) =>
      new TagsWidget({ suggestions, isText: kind === 'text' && !isList }),
    markdown: () => new MarkdownWidget(),
    slug: ({ from }, { most, isCreate }) => new SlugWidget({ from: from!, most, isCreate }),
    colour: () => new ColourWidget(),
  })
)

/**
 * Makes the widget that the options of a field name, if it is one with options of its own. [R13]
 */
export function makeWidget(options: FieldOptions, field: WidgetField): FormWidget | undefined {
  return MAKERS.get(options.widget)?.(options, field)
}
