import { DeliveryStore } from './delivery_store.js'
import { WebhookCrud } from './webhook_crud.js'
import { WebhookList, WebhookOutbox } from './webhook_outbox.js'
import type { WebhookSender, WebhookSite } from './webhook_sender.js'

/** Settings of `webhooks` in config/admin.ts */
interface WebhookSettings {
  /** True to allow addresses in private networks, and of this machine. Default: false */
  allowPrivate: boolean
}

/* Milliseconds after the start before messages are looked for, so that the first requests are not delayed */
const AFTER_START = 1000

/* Milliseconds within which most writes are committed */
const COMMITTED = 30

/** The webhooks of the site. The code that sends their messages is loaded on first use. */
export class Webhooks {
  readonly list = new WebhookList()
  readonly crud = new WebhookCrud(this.list)
  readonly store = new DeliveryStore()
  /** Records the deliveries of each write */
  readonly outbox = new WebhookOutbox(this.list, () => this.wakeSoon())
  #sender: Promise<WebhookSender> | undefined
  #waking: NodeJS.Timeout | undefined
  #isWorking = false

  constructor(
    private readonly site: WebhookSite,
    readonly settings: WebhookSettings
  ) {}

  sender(): Promise<WebhookSender> {
    this.#sender ??= import('./webhook_sender.js').then(
      ({ WebhookSender: Sender }) => new Sender(this.site, this.store, this.settings)
    )
    return this.#sender
  }

  /** Makes this process send messages until `stop`. */
  work(): void {
    this.#isWorking = true
    this.wakeSoon(AFTER_START)
  }

  /**
   * Looks for messages after a moment, if this process sends any.
   *
   * @param milliseconds  default: time in which the transaction of a write is committed
   */
  wakeSoon(milliseconds = COMMITTED): void {
    if (!this.#isWorking || this.#waking) return
    this.#waking = setTimeout(() => void this.#wake(), milliseconds)
    this.#waking.unref()
  }

  /** Starts no more requests, and waits for a limited time for those that are being sent. */
  async stop(): Promise<void> {
    this.#isWorking = false
    clearTimeout(this.#waking)
    const sender = await this.#sender
    await sender?.stop()
  }

  async #wake(): Promise<void> {
    this.#waking = undefined
    const sender = await this.sender()
    if (!this.#isWorking) return
    sender.start()
    sender.wake()
  }
}

export interface WithWebhooks {
  readonly webhooks: Webhooks
}
