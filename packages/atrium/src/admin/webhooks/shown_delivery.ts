import { DateTime } from 'luxon'
import { momentOf } from '../time/local_time.js'
import type AdminWebhookDelivery from '../models/admin_webhook_delivery.js'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'

const TONES = { pending: 'active', delivered: 'positive', failed: 'negative', skipped: 'neutral' }

/** Returns the data of a delivery for templates. */
export function shownDelivery(
  site: Pick<Site, 'text'>,
  view: ModelView,
  delivery: AdminWebhookDelivery
) {
  const { attempts, duration, error, id, nextAt, resourceId, response, responseStatus, state } =
    delivery
  const isRetried = state === 'pending' && attempts > 0
  return {
    id,
    type: delivery.type,
    messageId: delivery.messageId,
    record: resourceId,
    state: site.text(`webhooks.states.${isRetried ? 'retried' : state}`),
    tone: isRetried ? 'negative' : TONES[state],
    attempts,
    isSkipped: state === 'skipped',
    outcome: error ?? (responseStatus === null ? null : String(responseStatus)),
    duration: duration === null || attempts === 0 ? null : duration,
    request: delivery.request && indented(delivery.request),
    response,
    at: at(delivery.occurredAt),
    next: isRetried ? at(nextAt) : null,
    url: view.url(`/delivery/${id}`),
  }
}

function at(milliseconds: number) {
  return momentOf(DateTime.fromMillis(milliseconds, { zone: 'utc' }))
}

function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
