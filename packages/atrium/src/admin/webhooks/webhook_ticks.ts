import { inSentence } from '../text/plain_text.js'
import { FormWidget, type Text } from '../forms/fields/widgets/form_widget.js'
import { messageType, WEBHOOK_ACTIONS } from './webhook_outbox.js'
import { webhookModels } from './webhook_crud.js'
import type { HttpContext } from '@adonisjs/core/http'
import { type ShownCell, listCell } from '../list/cell.js'
import type { Site } from '../views/site.js'

type TickSite = Pick<Site, 'models' | 'text'>

/** Returns the widget for the models of a webhook. */
export function modelTicks(site: TickSite): new () => FormWidget {
  return class extends TickList {
    constructor() {
      super({ all: site.text('webhooks.all.models'), choices: () => modelChoices(site) })
    }
  }
}

/** Returns the widget for the event types of a webhook: those of all models, and those of single ones. */
export function typeTicks(site: TickSite): new () => FormWidget {
  return class extends TickList {
    constructor() {
      super({
        all: site.text('webhooks.all.types'),
        choices: () =>
          WEBHOOK_ACTIONS.map((value) => ({ value, label: site.text(`webhooks.types.${value}`) })),
        more: {
          label: site.text('webhooks.types.ofOne'),
          choices: () => modelChoices(site).flatMap((model) => typesOf(site, model)),
        },
      })
    }
  }
}

function modelChoices({ models }: TickSite): TickChoice[] {
  return webhookModels(models.values()).map((name) => ({
    value: name,
    label: models.get(name)?.label ?? name,
  }))
}

function typesOf(site: TickSite, { label, value }: TickChoice): TickChoice[] {
  return WEBHOOK_ACTIONS.map((action) => ({
    value: messageType(value, action),
    label: site.text('webhooks.types.one', {
      model: label,
      type: inSentence(site.text(`webhooks.types.${action}`)),
    }),
  }))
}

/* Text of the hidden input that submits a list without checked boxes */
const NONE = 'none'

/** A value of a list, with a label for users. */
interface TickChoice {
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
class TickList extends FormWidget {
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
