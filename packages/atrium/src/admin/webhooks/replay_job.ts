import { JobFailure } from '../jobs/job_errors.js'
import { JobKind } from '../jobs/job_kind.js'
import type { JobRun } from '../jobs/job_run.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import type AdminJob from '../models/admin_job.js'
import AdminWebhook from '../models/admin_webhook.js'
import { chunks, ROWS_PER_READ, ROWS_PER_WRITE } from '#base/chunks'
import type { DeliveredActor } from '../models/admin_webhook_delivery.js'
import {
  isNotified,
  messageType,
  type WebhookAction,
  insertRows,
  newDelivery,
  recordValues,
} from './webhook_outbox.js'
import { webhookModels } from './webhook_crud.js'
import type { Site } from '../views/site.js'
import type { WithWebhooks } from './webhooks.js'

/** The parts of the site that the job uses */
type ReplaySite = Pick<Site, 'models' | 'text'> & WithWebhooks

const ACTIONS: Record<string, WebhookAction> = {
  CREATE: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted',
}

/** Sends the logged writes since an event to a webhook again, as new messages. */
export class ReplayJob extends JobKind {
  readonly name = 'webhook_replay'
  readonly again = 'rest'

  constructor(private readonly site: ReplaySite) {
    super()
  }

  titleOf({ payload }: AdminJob): string {
    const { event, address } = payload
    return this.site.text('webhooks.replay.job', { event: String(event), address: String(address) })
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { event, webhook: id } = run.job.payload
    const client = this.site.webhooks.store.client()
    const webhook = await AdminWebhook.query({ client }).where('id', Number(id)).first()
    if (!webhook) throw new JobFailure('webhooks.replay.gone')
    const models = new Set(webhookModels(this.site.models.values()))
    let after = Number(run.job.notes?.after ?? 0)
    for (;;) {
      const rows = await this.#logged(Number(event), after)
      if (rows.length === 0) break
      const own = rows.filter(({ action, resourceType }) => {
        return models.has(resourceType) && isNotified(webhook, resourceType, ACTIONS[action])
      })
      const actors = await actorsOf(own.map(({ eventId }) => eventId))
      after = rows.at(-1)!.id
      await run.step(client, own.length, async (transaction) => {
        const deliveries = own.map((row) => deliveryOf(webhook, row, actors.get(row.eventId)))
        for (const some of chunks(deliveries, ROWS_PER_WRITE)) await insertRows(transaction, some)
        return { count: own.length, notes: { after } }
      })
      this.site.webhooks.wakeSoon()
    }
    return { message: this.site.text('webhooks.replay.done', { count: run.done }) }
  }

  override notesOfRest({ notes }: AdminJob): AdminJob['notes'] {
    return notes
  }

  /** Returns the next written records of the log, from the event on. */
  async #logged(event: number, after: number): Promise<AdminAuditLog[]> {
    return await AdminAuditLog.query({ client: this.site.webhooks.store.reading() })
      .where('eventId', '>=', event)
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_PER_READ)
  }
}

async function actorsOf(eventIds: readonly number[]): Promise<Map<number, DeliveredActor>> {
  const actors = new Map<number, DeliveredActor>()
  for (const ids of chunks([...new Set(eventIds)], ROWS_PER_READ)) {
    for (const event of await AdminEventLog.query().whereIn('id', ids)) {
      const { details, userId, username } = event
      const isSystem = username?.includes(': ') ?? false
      const token = details?.token_name
      actors.set(event.id, {
        kind: isSystem ? 'system' : token ? 'token' : userId === null ? 'none' : 'admin',
        ...(userId !== null && { id: userId }),
        ...(username !== null && { name: isSystem ? username.replace(/^system: /, '') : username }),
        ...(token && { token }),
      })
    }
  }
  return actors
}

function deliveryOf(
  webhook: AdminWebhook,
  row: AdminAuditLog,
  actor: DeliveredActor = { kind: 'none' }
) {
  const { action, changes, resourceId, resourceType, timestamp } = row
  return {
    ...newDelivery(webhook.id, messageType(resourceType, ACTIONS[action])),
    ...recordValues(resourceType, resourceId),
    occurred_at: timestamp.toMillis(),
    actor: JSON.stringify(actor),
    changes: JSON.stringify(changes ?? {}),
  }
}
