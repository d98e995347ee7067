import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'
import pLimit from 'p-limit'
import { resources, systemActor } from '#crud'
import AdminUser from '../models/admin_user.js'
import AdminWebhook from '../models/admin_webhook.js'
import type AdminWebhookDelivery from '../models/admin_webhook_delivery.js'
import { readingClientOf } from '../config/database_config.js'
import { WorkLoop } from '../jobs/job_worker.js'
import type { Attempted, DeliveryStore } from './delivery_store.js'
import { RequestSender, type SendOptions } from './send_request.js'
import { messageFor, type Message, signedHeaders } from './webhook_message.js'
import type { Site } from '../views/site.js'
import type { WithNotices } from '../notices/notices.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses before the attempts after the first one, in milliseconds: 24 hours in all */
export const PAUSES = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  10 * HOUR,
]

/** Milliseconds without a delivered message after which a webhook is switched off */
const SWITCHED_OFF_AFTER = 5 * 24 * HOUR

/* Milliseconds between checks for deliveries that other processes have inserted, and for retries */
const IDLE = SECOND

/* Deliveries of a webhook that a worker takes together, and requests that it sends concurrently */
const BATCH = 40
const CONCURRENCY = 8

/*
 * Milliseconds after which other workers can take the deliveries of a killed one: longer than the requests of two
 * batches
 */
const LEASE = 2 * MINUTE

/* Milliseconds of the first and the longest pause of a webhook after a full batch without a delivered message */
const FIRST_REST = SECOND
const LONGEST_REST = 30 * SECOND

/* Milliseconds for which results are collected, because each commit holds SQLite's writer */
const COLLECTED = 50

/* Milliseconds that a stop waits for requests */
const STOPS_WITHIN = 3 * SECOND

const ACTOR = systemActor('webhooks')

/** The parts of the site that webhooks use */
export type WebhookSite = Pick<Site, 'models'> & WithNotices

/** Sends the deliveries of webhooks that are due: at least once, and in order for each record. */
export class WebhookSender {
  readonly #requests: RequestSender
  readonly #worker = randomUUID()
  /** Webhooks whose deliveries are being sent by this process */
  readonly #busy = new Map<number, Promise<void>>()
  /** Webhooks whose receiver seems to be down: the next batch is not sent before `until` */
  readonly #resting = new Map<number, { until: number; pause: number }>()
  readonly #loop = new WorkLoop('Webhooks cannot be delivered', IDLE)
  #ended: Promise<void> | undefined

  constructor(
    private readonly site: WebhookSite,
    private readonly store: DeliveryStore,
    settings: SendOptions
  ) {
    this.#requests = new RequestSender(settings)
  }

  /** Looks for deliveries until `stop`. */
  start(): void {
    this.#loop.resume()
    this.#ended ??= this.#loop.run(async () => {
      for (const id of await this.#activeIds()) this.#begin(id)
    })
  }

  /** Looks for deliveries without waiting for the next poll. */
  wake(): void {
    this.#loop.wake()
  }

  /** Starts no more requests, and waits for a limited time for those that are being sent. */
  async stop(): Promise<void> {
    this.#loop.stop()
    await this.#ended
    const over = sleep(STOPS_WITHIN, undefined, { ref: false })
    await Promise.race([Promise.all(this.#busy.values()), over])
    this.#ended = undefined
    this.#requests.close()
  }

  /** Sends everything that is due, and returns when nothing is left. */
  async sendDue(): Promise<void> {
    this.#loop.resume()
    await resources.load()
    const ids = await this.#activeIds()
    const drain = async (id: number) => {
      while (!(await this.#drain(id)));
    }
    await Promise.all(ids.map(drain))
  }

  #begin(id: number) {
    if (this.#busy.has(id) || Date.now() < (this.#resting.get(id)?.until ?? 0)) return
    const work = this.#loop
      .guarded(async () => {
        await resources.load()
        if (await this.#drain(id)) this.#resting.delete(id)
        else this.#rest(id)
      })
      .then(() => void this.#busy.delete(id))
    this.#busy.set(id, work)
  }

  /** Pauses a webhook, so that many messages for a receiver that is down do not occupy the process and the database. */
  #rest(id: number) {
    const before = this.#resting.get(id)?.pause
    const pause = before === undefined ? FIRST_REST : Math.min(2 * before, LONGEST_REST)
    this.#resting.set(id, { until: Date.now() + pause, pause })
  }

  async #activeIds(): Promise<number[]> {
    const client = readingClientOf(AdminWebhook)
    const rows = await client.from(AdminWebhook.table).where('active', true).select('id')
    return rows.map(({ id }) => id)
  }

  /**
   * Sends the deliveries of a webhook that are due, until nothing is left or the webhook is switched off. While a full
   * batch is sent, the next one is claimed.
   *
   * @returns false if a full batch has failed, so that more can be due
   */
  async #drain(id: number): Promise<boolean> {
    let next: Promise<AdminWebhookDelivery[]> | undefined
    for (;;) {
      let taken = (await next) ?? []
      next = undefined
      const client = this.store.client()
      const webhook = await AdminWebhook.query({ client }).where({ id }).first()
      if (this.#loop.isStopped || !webhook?.active) {
        await this.store.release(taken)
        return true
      }
      if (taken.length === 0) taken = await this.#take(id)
      if (taken.length === 0) return true
      const owner = await AdminUser.find(webhook.ownerId, { client: this.store.reading() })
      if (!owner) {
        await this.#switchOff(webhook)
        return true
      }
      if (taken.length === BATCH) next = this.#take(id)
      /* The error is thrown where the batch is awaited. */
      next?.catch(() => {})
      const hasFailed = await this.#sendAll(webhook, owner, taken)
      if (hasFailed && taken.length === BATCH) {
        await this.store.release((await next) ?? [])
        return false
      }
    }
  }

  #take(id: number): Promise<AdminWebhookDelivery[]> {
    const now = Date.now()
    return this.store.take(id, { most: BATCH, worker: this.#worker, now, until: now + LEASE })
  }

  /** @returns true if each message was sent and failed */
  async #sendAll(
    webhook: AdminWebhook,
    owner: AdminUser,
    taken: AdminWebhookDelivery[]
  ): Promise<boolean> {
    const results = new CollectedResults((some) => this.#store(webhook, some))
    const limit = pLimit(CONCURRENCY)
    const left: AdminWebhookDelivery[] = []
    let failed = 0
    const sent = taken.map((one) =>
      limit(async () => {
        if (this.#loop.isStopped) return void left.push(one)
        const result = await this.#attempt(webhook, owner, one)
        if (result.state === 'pending' || result.state === 'failed') failed++
        results.add(result)
      })
    )
    await Promise.all(sent)
    await results.end()
    if (left.length > 0) await this.store.release(left)
    return failed === taken.length
  }

  async #attempt(
    webhook: AdminWebhook,
    owner: AdminUser,
    delivery: AdminWebhookDelivery
  ): Promise<Attempted> {
    const now = Date.now()
    const none = { delivery, request: null, status: null, response: null }
    let message: Message | null
    try {
      message = await messageFor(this.site, owner, delivery)
    } catch (error) {
      logger.error({ err: error, delivery: delivery.id }, 'A record for a webhook cannot be read')
      return { ...none, ...later(delivery, now), duration: 0, error: 'The record cannot be read' }
    }
    if (message === null) return { ...none, state: 'skipped', duration: null, error: null }
    const { body, shown } = message
    const headers = signedHeaders(webhook, { id: delivery.messageId, body, now })
    const sent = headers
      ? await this.#requests.send(webhook.address, headers, body)
      : { status: null, response: null, duration: 0, error: UNREADABLE }
    const isDelivered = sent.status !== null && sent.status >= 200 && sent.status < 300
    const outcome = isDelivered ? { state: 'delivered' as const } : later(delivery, now)
    return { delivery, ...outcome, request: shown, ...sent }
  }

  async #store(webhook: AdminWebhook, results: readonly Attempted[]): Promise<void> {
    const now = Date.now()
    await this.store.store(results, now)
    const attempted = results.filter(({ duration }) => duration !== null)
    if (attempted.length === 0) return
    const hasFailed = attempted.every(({ state }) => state !== 'delivered')
    if (!hasFailed) return await this.#noteFailing(webhook, null)
    if (webhook.failingSince === null) return await this.#noteFailing(webhook, now)
    if (now - webhook.failingSince >= SWITCHED_OFF_AFTER) await this.#switchOff(webhook)
  }

  async #noteFailing(webhook: AdminWebhook, since: number | null) {
    if (webhook.failingSince === since) return
    const query = this.store.client().from(AdminWebhook.table).where('id', webhook.id)
    await query.update({ failing_since: since })
    webhook.failingSince = since
  }

  /** Switches a webhook off, and notifies its owner. */
  async #switchOff({ id, address, description, ownerId }: AdminWebhook) {
    const { crud } = this.site.models.get(AdminWebhook.name)!
    const client = this.store.client()
    const current = await AdminWebhook.query({ client }).where({ id, active: true }).first()
    if (!current) return
    await crud.update(id, { active: false }, { actor: ACTOR })
    const owner = await AdminUser.find(ownerId, { client })
    const name = description || new URL(address).host
    if (owner) await this.site.notices.notify(owner, 'webhook_off', { name })
  }
}

const UNREADABLE =
  'The secret cannot be decrypted, as APP_KEY was changed. Rotate the secret of the webhook'

/** Returns the state after a failure: pending with the time of the next attempt, or failed after 24 hours. */
function later(
  { attempts }: AdminWebhookDelivery,
  now: number
): Pick<Attempted, 'state' | 'nextAt'> {
  const pause = PAUSES[attempts]
  return pause === undefined ? { state: 'failed' } : { state: 'pending', nextAt: now + pause }
}

/** Stores results together, after a short time. */
class CollectedResults {
  #results: Attempted[] = []
  #storing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly store: (results: Attempted[]) => Promise<void>) {}

  add(result: Attempted): void {
    this.#results.push(result)
    this.#timer ??= setTimeout(() => this.#flush(), COLLECTED)
  }

  /** @throws the error of the first store that failed */
  async end(): Promise<void> {
    this.#flush()
    await this.#storing
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const results = this.#results
    if (results.length === 0) return
    this.#results = []
    this.#storing = this.#storing.then(() => this.store(results))
    this.#storing.catch(() => {})
  }
}
