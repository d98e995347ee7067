import string from '@adonisjs/core/helpers/string'
import { inputName } from '../form_field.js'
import { FormWidget, type Preview } from './form_widget.js'

interface SlugOptions {
  /** Name of the field that the slug is derived from */
  from: string
  /** Maximum number of characters */
  most: number
  isCreate: boolean
}

/**
 * A slug for URLs. It is derived from another field until it is edited; the slug of an existing record is not changed
 * automatically.
 */
export class SlugWidget extends FormWidget {
  readonly template = 'admin/partials/fields/slug'
  readonly sheet = 'slug_field.css'
  readonly cellControl = 'input'
  readonly hasBox = true
  readonly fillsItself: boolean
  readonly #options: SlugOptions

  constructor(options: SlugOptions) {
    super()
    this.#options = options
    this.fillsItself = options.isCreate
  }

  collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
    const { from, isCreate } = this.#options
    const own = sent.get(name) ?? []
    if (!isCreate || own.some((text) => text.trim() !== '')) return undefined
    /* In an inline row, both names have the prefix of the row. */
    const source = name.slice(0, name.lastIndexOf('.') + 1) + inputName(from)
    const made = this.#slugOf(sent.get(source)?.[0] ?? '')
    return made === '' ? undefined : [made]
  }

  async data() {
    return { from: inputName(this.#options.from) }
  }

  preview(text: string): Preview {
    return { type: 'text', content: this.#slugOf(text) }
  }

  /** Returns the slug of a text. One that is too long is cut at a word boundary, if there is one. */
  #slugOf(text: string): string {
    const slug = string.slug(text, { lower: true, strict: true })
    const { most } = this.#options
    if (slug.length <= most) return slug
    const cut = slug.slice(0, most + 1)
    const end = cut.lastIndexOf('-')
    return (end > 0 ? cut.slice(0, end) : slug.slice(0, most)).replace(/-+$/, '')
  }
}
