import type { HttpContext } from '@adonisjs/core/http'
import type { ShownCell } from '../list/cell.js'
import { listCell } from '../list/cell.js'
import { FormWidget, type Text } from '../forms/fields/widgets/form_widget.js'

/* Text of the hidden input that submits a list without checked boxes */
const NONE = 'none'

/** A value of a list, with a label for users. */
export interface TickChoice {
  value: string
  label: string
}

interface TickListOptions {
  /** Label of the empty list, which stands for all values */
  all: string
  choices: () => TickChoice[]
  /** Label and values of a second list, which is folded */
  more?: { label: string; choices: () => TickChoice[] }
}

/** A list of texts as checkboxes. An empty list stands for all values. */
export class TickList extends FormWidget {
  readonly template = 'admin/partials/fields/tick_list'
  override readonly sheet = 'roles.css'
  override readonly isGroup = true
  override readonly isList = true

  constructor(private readonly options: TickListOptions) {
    super()
  }

  override attributesFrom() {
    return {}
  }

  /** Values that are not among the choices any more are shown, so that saving the form does not remove them. */
  override async data(_ctx: HttpContext, _name: string, values: string[]) {
    const { choices, more } = this.options
    const ticked = new Set(values)
    const shown = (all: TickChoice[]) =>
      all.map((one) => ({ ...one, isTicked: ticked.has(one.value) }))
    const first = choices()
    const others = more?.choices() ?? []
    const known = new Set([...first, ...others].map(({ value }) => value))
    const unknown = values.filter((value) => value !== NONE && !known.has(value))
    const folded = shown(others)
    return {
      none: NONE,
      choices: shown([...first, ...unknown.map((value) => ({ value, label: value }))]),
      more: more && {
        label: more.label,
        choices: folded,
        isOpen: folded.some(({ isTicked }) => isTicked),
      },
    }
  }

  override read(values: string[]): unknown {
    return values.filter((value) => value !== NONE)
  }

  override show(value: unknown): string[] {
    return Array.isArray(value) ? value.map(String) : []
  }

  override words(value: unknown): string {
    return this.#labels(value).join(', ') || this.options.all
  }

  override cell(value: unknown, text: Text): ShownCell | null {
    const labels = this.#labels(value)
    return listCell(labels.length > 0 ? labels : [this.options.all], text)
  }

  override whole(value: unknown, text: Text): ShownCell | null {
    return this.cell(value, text)
  }

  #labels(value: unknown): string[] {
    const { choices, more } = this.options
    const all = [...choices(), ...(more?.choices() ?? [])]
    const labels = new Map(all.map(({ label, value: one }) => [one, label]))
    return Array.isArray(value) ? value.map((one) => labels.get(one) ?? String(one)) : []
  }
}
