import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import string from '@adonisjs/core/helpers/string'
import vine from '@vinejs/vine'
import { EndpointCreator, LucidCrud, Problem, resources, type HookOptions, type Item } from '#crud'
import { isExcludedFromInclude } from '#crud/internals'
import { isUnreadable, keyOf, noteKey, notePart } from '#base/items'
import { requireProofOf } from '../identity/proof.js'
import AdminWebhook from '../models/admin_webhook.js'
import type { ModelView } from '../views/model_view.js'
import { addressError } from './send_request.js'
import { newSecret, openSecret, sealSecret } from './webhook_message.js'
import { WEBHOOK_ACTIONS, type WebhookList } from './webhook_outbox.js'

type Values = Record<string, unknown>

const LONGEST_DESCRIPTION = 255
const MOST_ENTRIES = 500

/** Returns the names of the models whose writes webhooks can be notified of. */
export function webhookModels(models: Iterable<ModelView>): string[] {
  const views = [...models].filter(({ adminModel }) => !adminModel)
  const known = [...views.map(({ resource }) => resource), ...resources.all()]
  const names = known.filter(({ model }) => !isExcludedFromInclude(model)).map(({ name }) => name)
  return [...new Set(names)].sort()
}

/** Returns the validation schemas of webhooks. */
export function webhookSchemas(
  site: { readonly models: ReadonlyMap<string, ModelView> },
  settings: { readonly allowPrivate: boolean }
) {
  const rule = (errorOf: (text: string) => string | null, name: string) =>
    vine.createRule((value, _options, field) => {
      const error = typeof value === 'string' ? errorOf(value) : null
      if (error) field.report(error, name, field)
    })()
  const modelError = (name: string) => {
    const names = webhookModels(site.models.values())
    if (names.includes(name)) return null
    return `Unknown model ${JSON.stringify(name)}; models are ${names.join(', ')}`
  }
  const typeError = (type: string) => {
    if ((WEBHOOK_ACTIONS as readonly string[]).includes(type)) return null
    const [model, action, ...rest] = type.split('.')
    const names = webhookModels(site.models.values()).map((name) => string.snakeCase(name))
    const isType =
      rest.length === 0 &&
      names.includes(model) &&
      (WEBHOOK_ACTIONS as readonly string[]).includes(action)
    if (isType) return null
    return `Unknown event type ${JSON.stringify(type)}: use ${WEBHOOK_ACTIONS.join(', ')}, or a type of one model, as in ${names[0] ?? 'film'}.created`
  }
  const list = (errorOf: (text: string) => string | null, name: string) =>
    vine
      .array(vine.string().use(rule(errorOf, name)))
      .maxLength(MOST_ENTRIES)
      .distinct()
      .nullable()
      .optional()
  const create = vine.object({
    address: vine
      .string()
      .trim()
      .use(rule((text) => addressError(text, settings.allowPrivate), 'address')),
    description: vine.string().trim().maxLength(LONGEST_DESCRIPTION).nullable().optional(),
    models: list(modelError, 'model'),
    event_types: list(typeError, 'eventType'),
    active: vine.boolean().optional(),
  })
  return { create, update: create.partial() }
}

/** Writes webhooks. Writes require a recent reauthentication, because a webhook sends records to another server. */
export class WebhookCrud extends LucidCrud<typeof AdminWebhook> {
  constructor(private readonly list: WebhookList) {
    super(AdminWebhook)
  }

  override async prepareCreate(values: Values, options: HookOptions): Promise<Values> {
    requireProofOf(options.actor)
    const { id } = (options.actor?.user ?? {}) as { id?: unknown }
    if (typeof id !== 'number') {
      throw new Problem(422, 'A webhook needs an owner: create it as a user of the admin site')
    }
    const { active = true, ...own } = await super.prepareCreate(withoutNulls(values), options)
    return {
      description: '',
      models: [],
      eventTypes: [],
      ...own,
      active,
      ownerId: id,
      secret: sealSecret(newSecret()),
      secretShown: false,
    }
  }

  override async prepareUpdate(values: Values, record: LucidRow, options: HookOptions) {
    requireProofOf(options.actor)
    const own = await super.prepareUpdate(withoutNulls(values), record, options)
    const isSwitchedOn = own.active === true && !(record as AdminWebhook).active
    return isSwitchedOn ? { ...own, failingSince: null } : own
  }

  override async prepareDelete(_record: LucidRow, { actor, client }: HookOptions): Promise<void> {
    requireProofOf(actor)
    this.afterCommit(client, () => this.list.forget())
  }

  override afterCreate(_record: LucidRow, _values: Values, { client }: HookOptions): void {
    this.afterCommit(client, () => this.list.forget())
  }

  override afterUpdate(_record: LucidRow, _values: Values, { client }: HookOptions): void {
    this.afterCommit(client, () => this.list.forget())
  }
}

/* An empty form field is null. */
function withoutNulls(values: Values): Values {
  const empty: Values = { description: '', models: [], eventTypes: [] }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value ?? empty[name] ?? value])
  )
}

/** Endpoints of webhooks. The response to a create contains the secret, once. */
export class WebhookEndpoints extends EndpointCreator {
  protected override async insertItem(values: Values, ctx: HttpContext): Promise<Item> {
    const item = await super.insertItem(values, ctx)
    if (isUnreadable(item)) return item
    const { client } = this.callOptions(ctx)
    const key = keyOf(item)!
    const webhook = await AdminWebhook.query({ client })
      .where('id', key[0] as number)
      .firstOrFail()
    await AdminWebhook.query({ client }).where('id', webhook.id).update({ secret_shown: true })
    return notePart(noteKey({ ...item, secret: openSecret(webhook.secret) }, key), item)
  }
}
