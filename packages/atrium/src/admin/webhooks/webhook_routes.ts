import { signInGuard } from '../http/guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes, viewGuard, type RoutedSite } from '../http/site_routes.js'
import AdminWebhook from '../models/admin_webhook.js'
import type { WebhookPages } from './webhook_controller.js'

/** Registers the pages of the deliveries and the secret of a webhook, for superusers. */
export function webhookRoutes(site: RoutedSite & WebhookPages): void {
  const view = site.models.get(AdminWebhook.name)
  if (!view) return
  const webhook = controller(
    () => import('./webhook_controller.js'),
    ({ WebhookController }) => new WebhookController(site, view)
  )
  const path = (task: string) => `/${view.name}/${task}/:id`
  siteRoutes(site, [signInGuard, viewGuard(view), readPlainBody], ({ get, post }) => {
    get(path('deliveries'), 'webhooks.deliveries', webhook('deliveries'))
    get(path('delivery'), 'webhooks.delivery', webhook('delivery'))
    post(path('send_again'), 'webhooks.send_again', webhook('sendAgain'))
    post(path('send_test'), 'webhooks.send_test', webhook('sendTest'))
    post(path('replay'), 'webhooks.replay', webhook('replay'))
    post(path('show_secret'), 'webhooks.show_secret', webhook('showSecret'))
    post(path('rotate_secret'), 'webhooks.rotate_secret', webhook('rotateSecret'))
  })
}
