import type { ModelView } from '../views/model_view.js'
import { inSentence } from '../text/plain_text.js'
import type { FormWidget } from '../forms/fields/widgets/form_widget.js'
import { TickList, type TickChoice } from './tick_list.js'
import { messageType, WEBHOOK_ACTIONS } from './webhook_list.js'
import { webhookModels } from './webhook_crud.js'

interface TickSite {
  readonly models: ReadonlyMap<string, ModelView>
  text(key: string, data?: Record<string, unknown>): string
}

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
