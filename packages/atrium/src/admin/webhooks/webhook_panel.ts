import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { hasEventLog } from '../events/database_integration.js'
import AdminWebhook from '../models/admin_webhook.js'
import AdminUser from '../models/admin_user.js'
import type { UpdatePanel } from '../views/view_options.js'
import { shownDelivery, type WebhookPages } from './webhook_controller.js'

/* Number of deliveries on the page of the webhook */
const MOST_SHOWN = 10

/** Panel on the page of a webhook: its secret and deliveries. */
export class WebhookPanel implements UpdatePanel {
  readonly template = 'admin/partials/webhook'
  readonly sheet = 'webhooks.css'

  constructor(private readonly site: WebhookPages) {}

  /** The secret of a new webhook has to be copied. */
  async nextStep(_item: Item): Promise<string | null> {
    return 'webhook-secret'
  }

  async data(_ctx: HttpContext, record: LucidRow) {
    const webhook = record as AdminWebhook
    const { models, webhooks } = this.site
    const view = models.get(AdminWebhook.name)!
    const client = webhooks.store.reading()
    const owner = await AdminUser.find(webhook.ownerId, { client })
    const deliveries = await webhooks.store.of(webhook.id, { limit: MOST_SHOWN })
    const url = (task: string) => view.url(`/${task}/${webhook.id}`)
    return {
      isActive: webhook.active,
      isSecretShown: webhook.secretShown,
      isRotating: (webhook.previousSecretUntil ?? 0) > Date.now(),
      owner: owner?.username ?? null,
      canReplay: hasEventLog(this.site),
      deliveries: deliveries.map((one) => shownDelivery(this.site, view, one)),
      urls: {
        deliveries: url('deliveries'),
        test: url('send_test'),
        replay: url('replay'),
        show: url('show_secret'),
        rotate: url('rotate_secret'),
      },
    }
  }
}
