import type { HttpContext } from '@adonisjs/core/http'
import { UnreadableText } from '../../../errors.js'
import type { ShownCell } from '../../../list/cell.js'
import { FormWidget } from './form_widget.js'

const COLOUR = /^#[\da-f]{6}$/i
const SHORT = /^#([\da-f])([\da-f])([\da-f])$/i

/**
 * A colour as `#rrggbb`. [R13]
 */
export class ColourWidget extends FormWidget {
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

  /** A style attribute would not be allowed, a colour of a drawing is. */
  cell(value: unknown): ShownCell | null {
    if (typeof value !== 'string' || !COLOUR.test(value)) return null
    const swatch = `<svg class="value-swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${value}"/></svg>`
    return { kind: 'colour', text: value, markup: `${swatch} ${value}` }
  }
}
