import type { HttpContext } from '@adonisjs/core/http'
import { countIn } from '#base/values/numbers'
import { type EventDetails, EventType } from '../events/event_integration.js'
import { readPage, lastPage, pagesOf, ROWS } from '../event_log/event_filters.js'
import { flashToNextPage } from '../http/flash.js'
import { PageNotFound } from '../http/errors.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { redirect, redirectWithMessage } from '../http/redirect.js'
import { rowId } from '../views/record_items.js'
import { adminActor } from '../identity/admin_actor.js'
import { requireProof } from '../identity/proof.js'
import type { WithJobs } from '../jobs/jobs.js'
import AdminWebhook from '../models/admin_webhook.js'
import type AdminWebhookDelivery from '../models/admin_webhook_delivery.js'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { deliveredActor, insertRows, newDelivery } from './webhook_outbox.js'
import { newSecret, openSecret, OVERLAP, sealSecret } from './webhook_message.js'
import type { WithWebhooks } from './webhooks.js'
import { DateTime } from 'luxon'
import { momentOf } from '../time/local_time.js'

/** The parts of the site that these pages use */
export type WebhookPages = Site & WithWebhooks & WithJobs

/** Type of a test message */
const TEST = 'webhook.test'

/* Largest number of an event that is accepted, so that every database can compare it */
const LARGEST_EVENT = Number.MAX_SAFE_INTEGER

/** Pages of the deliveries of a webhook, and its secret. */
export class WebhookController {
  constructor(
    private readonly site: WebhookPages,
    private readonly view: ModelView
  ) {}

  /** Renders the list of deliveries. */
  async deliveries(ctx: HttpContext): Promise<string> {
    const webhook = await this.#find(ctx)
    const { store } = this.site.webhooks
    const counts = await store.counts(webhook.id)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const page = Math.min(readPage(query.getAll('page').at(-1)), lastPage(total))
    const rows = await store.of(webhook.id, { offset: (page - 1) * ROWS, limit: ROWS })
    const url = (number: number) => this.view.url(`/deliveries/${webhook.id}?page=${number}`)
    return await this.site.render(ctx, 'pages/deliveries', {
      deliveries: rows.map((one) => shownDelivery(this.site, this.view, one)),
      pages: pagesOf(total, page, url),
      back: { url: this.#urlOf(webhook), label: webhook.description || webhook.address },
    })
  }

  /** Renders a delivery with its request and response. */
  async delivery(ctx: HttpContext): Promise<string> {
    const { delivery, webhook } = await this.#findDelivery(ctx)
    return await this.site.render(ctx, 'pages/delivery', {
      delivery: shownDelivery(this.site, this.view, delivery),
      address: webhook.address,
      urls: {
        back: this.view.url(`/deliveries/${webhook.id}`),
        again: this.view.url(`/send_again/${delivery.id}`),
      },
    })
  }

  /** Sends a delivery again, with the same message id. */
  async sendAgain(ctx: HttpContext): Promise<void> {
    const { delivery, webhook } = await this.#findDelivery(ctx)
    const back = this.view.url(`/delivery/${delivery.id}`)
    if (!webhook.active) return await this.#refuse(ctx, back, 'inactive')
    await this.site.webhooks.store.sendAgain(delivery, Date.now())
    this.site.webhooks.wakeSoon()
    this.#log(ctx, webhook, { webhook: 'sent_again' })
    await this.#say(ctx, back, 'sentAgain')
  }

  async sendTest(ctx: HttpContext): Promise<void> {
    const webhook = await this.#find(ctx)
    const back = this.#urlOf(webhook)
    if (!webhook.active) return await this.#refuse(ctx, back, 'inactive')
    const actor = JSON.stringify(deliveredActor(adminActor(ctx)))
    const row = { ...newDelivery(webhook.id, TEST), record_key: TEST, actor, changes: '{}' }
    await insertRows(this.site.webhooks.store.client(), [row])
    this.site.webhooks.wakeSoon()
    this.#log(ctx, webhook, { webhook: 'test_sent' })
    await this.#say(ctx, back, 'testSent')
  }

  /** Sends the writes of logged events again, as a background job. */
  async replay(ctx: HttpContext): Promise<void> {
    const webhook = await this.#find(ctx)
    const back = this.#urlOf(webhook)
    if (!webhook.active) return await this.#refuse(ctx, back, 'inactive')
    const text = singleText(sentTexts(ctx), 'event') ?? ''
    const event = countIn(text) ?? 0
    if (event < 1 || event >= LARGEST_EVENT) return await this.#refuse(ctx, back, 'noEvent')
    const payload = { webhook: webhook.id, event, address: webhook.address }
    const job = await this.site.jobs.start(ctx, 'webhook_replay', {
      payload,
      model: this.view.name,
    })
    this.#log(ctx, webhook, { webhook: 'replayed', job: job.id })
    redirect(ctx, this.site.url(`/management/jobs/${job.id}`))
  }

  /** Shows the secret of a new webhook, once. */
  async showSecret(ctx: HttpContext): Promise<string | void> {
    const webhook = await this.#find(ctx)
    requireProof(ctx, this.#urlOf(webhook))
    const isFirst = await this.site.webhooks.store
      .client()
      .from(AdminWebhook.table)
      .where({ id: webhook.id, secret_shown: false })
      .update({ secret_shown: true })
    if (Number(isFirst) === 0) return await this.#refuse(ctx, this.#urlOf(webhook), 'secretShown')
    const secret = openSecret(webhook.secret)
    if (secret === null) return await this.#refuse(ctx, this.#urlOf(webhook), 'secretUnreadable')
    return await this.#secretPage(ctx, webhook, secret)
  }

  /** Replaces the secret, and shows the new one. Messages are signed with both for a day. */
  async rotateSecret(ctx: HttpContext): Promise<string> {
    const webhook = await this.#find(ctx)
    requireProof(ctx, this.#urlOf(webhook))
    const secret = newSecret()
    const values = {
      secret: sealSecret(secret),
      previousSecret: webhook.secret,
      previousSecretUntil: Date.now() + OVERLAP,
      secretShown: true,
    }
    await this.view.crud.update(webhook.id, values, this.view.callOptions(ctx))
    return await this.#secretPage(ctx, webhook, secret)
  }

  async #secretPage(ctx: HttpContext, webhook: AdminWebhook, secret: string): Promise<string> {
    ctx.response.header('cache-control', 'no-store')
    return await this.site.render(ctx, 'pages/webhook_secret', {
      title: this.site.text('webhooks.secret.title'),
      address: webhook.address,
      secret,
      page: this.#urlOf(webhook),
    })
  }

  #log(ctx: HttpContext, { id }: AdminWebhook, details: EventDetails): void {
    this.site.logEvent(ctx, {
      type: EventType.UPDATE,
      resourceType: this.view.name,
      resourceId: String(id),
      details,
    })
  }

  async #say(ctx: HttpContext, url: string, text: string): Promise<void> {
    const message = { kind: 'success' as const, text: this.site.text(`webhooks.done.${text}`) }
    await redirectWithMessage(ctx, url, message)
  }

  async #refuse(ctx: HttpContext, url: string, text: string): Promise<void> {
    await flashToNextPage(ctx, { kind: 'error', text: this.site.text(`webhooks.refused.${text}`) })
    redirect(ctx, url)
  }

  #urlOf({ id }: AdminWebhook): string {
    return this.view.url(`/update/${id}`)
  }

  async #find({ params }: HttpContext): Promise<AdminWebhook> {
    const id = rowId(params.id)
    const client = this.site.webhooks.store.reading()
    const webhook = id === null ? null : await AdminWebhook.query({ client }).where({ id }).first()
    if (!webhook) throw new PageNotFound()
    return webhook
  }

  async #findDelivery({ params }: HttpContext) {
    const id = countIn(params.id)
    const { store } = this.site.webhooks
    const delivery: AdminWebhookDelivery | null = id === null ? null : await store.find(id)
    const webhook =
      delivery &&
      (await AdminWebhook.query({ client: store.reading() })
        .where('id', delivery.webhookId)
        .first())
    if (!delivery || !webhook) throw new PageNotFound()
    return { delivery, webhook }
  }
}

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
