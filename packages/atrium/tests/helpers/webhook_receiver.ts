/* A server that receives webhooks, and webhooks that send to it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import db from '@adonisjs/lucid/services/db'
import AdminWebhook from '#admin/models/admin_webhook'
import AdminWebhookDelivery from '#admin/models/admin_webhook_delivery'
import { newSecret, sealSecret } from '#admin/webhooks/webhook_message'
import { adminSite } from '#tests/helpers/admin'

export interface ReceivedMessage {
  headers: IncomingHttpHeaders
  text: string
  body: any
}

export interface Receiver {
  url: string
  messages: ReceivedMessage[]
  /** Responds to a message; by default with 204 */
  respond: (response: ServerResponse, message: ReceivedMessage) => void
  stop(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  const receiver: Receiver = {
    url: '',
    messages,
    respond: (response) => void response.writeHead(204).end(),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece) => (text += piece))
    request.on('end', () => {
      const message = { headers: request.headers, text, body: JSON.parse(text || 'null') }
      messages.push(message)
      receiver.respond(response, message)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

interface NewWebhook {
  address: string
  ownerId: number
  models?: string[]
  eventTypes?: string[]
  active?: boolean
}

/** Stores a webhook, without the checks of the site. */
export async function makeWebhook({ models = [], eventTypes = [], ...values }: NewWebhook) {
  const secret = newSecret()
  const sealed = { secret: sealSecret(secret), previousSecret: null, previousSecretUntil: null }
  const own = { ...values, ...sealed, models, eventTypes, description: '', secretShown: true }
  const webhook = await AdminWebhook.create({ active: true, failingSince: null, ...own })
  const { webhooks } = await adminSite()
  webhooks.list.forget()
  return { id: webhook.id, secret }
}

export async function emptyWebhooks(): Promise<void> {
  for (const table of ['admin_webhook_deliveries', 'admin_webhooks']) await db.from(table).delete()
  const { webhooks } = await adminSite()
  webhooks.list.forget()
}

/**
 * Allows webhooks to this machine.
 *
 * @returns a function that forbids them again
 */
export async function allowPrivate(): Promise<() => void> {
  const { webhooks } = await adminSite()
  Object.assign(webhooks.settings, { allowPrivate: true })
  return () => void Object.assign(webhooks.settings, { allowPrivate: false })
}

/** Sends all messages that are due, as the worker does. */
export async function sendDue(): Promise<void> {
  const { webhooks } = await adminSite()
  const sender = await webhooks.sender()
  await sender.sendDue()
}

export async function deliveries(): Promise<AdminWebhookDelivery[]> {
  return await AdminWebhookDelivery.query().orderBy('id')
}

/**
 * Moves the clock forward until the test ends.
 *
 * @returns a function that puts it back
 */
export function moveClock(milliseconds: number): () => void {
  const { now } = Date
  Date.now = () => now() + milliseconds
  return () => void (Date.now = now)
}

export async function deliveryStates(): Promise<string[]> {
  const all = await deliveries()
  return all.map(({ state }) => state)
}
