import { resources, type Actor, type Item, type LucidCrud, type Resource } from '#crud'
import { isExcludedFromInclude } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { isSecretName } from '#base/values/text'
import { userActor } from '../identity/admin_actor.js'
import { readingClientOf } from '../config/database_config.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import type AdminUser from '../models/admin_user.js'
import type AdminWebhookDelivery from '../models/admin_webhook_delivery.js'
import { shownOn } from '../permissions/personal_view.js'
import { readKey } from '../views/record_items.js'
import type { Site } from '../views/site.js'
import { randomBytes } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import { Webhook } from 'standardwebhooks'
import type AdminWebhook from '../models/admin_webhook.js'

type Delivery = Pick<
  AdminWebhookDelivery,
  'actor' | 'changes' | 'occurredAt' | 'resourceId' | 'resourceType' | 'type'
>

interface WrittenRecord {
  changes: Delivery['changes']
  occurredAt: number
  resourceId: string
  resourceType: string
}

/** The read operations of a model, as its endpoints perform them */
type Reader = Pick<LucidCrud, 'find' | 'get' | 'allows'> & { readonly resource: Resource }

/** The body of a message */
export interface Message {
  body: string
  /**
   * The body as it is stored and displayed, without values of columns whose names indicate a secret
   */
  shown: string
}

/* Milliseconds by which the time of a message and that of the same write in the event log can differ */
const CLOCKS = 1000

/* Stored in place of a secret */
const CONCEALED = '…'

/**
 * Returns a message, with what the owner of the webhook is allowed to view at this moment.
 *
 * @returns null if the owner is not allowed to view the record, or if that cannot be determined
 */
export async function messageFor(
  site: Pick<Site, 'models'>,
  owner: AdminUser,
  delivery: Delivery
): Promise<Message | null> {
  const { actor, changes, occurredAt, resourceId, resourceType, type } = delivery
  const data = resourceType
    ? await dataOf(site, owner, { changes, occurredAt, resourceId: resourceId!, resourceType })
    : { id: null, record: null, changes: {} }
  if (!data) return null
  const timestamp = new Date(occurredAt).toISOString()
  const write = (record: Item | null) =>
    JSON.stringify({ type, timestamp, data: { ...data, record, actor } })
  const body = write(data.record)
  const secrets = Object.keys(data.record ?? {}).filter(isSecretName)
  if (secrets.length === 0) return { body, shown: body }
  const concealed = Object.fromEntries(secrets.map((name) => [name, CONCEALED]))
  return { body, shown: write({ ...data.record, ...concealed }) }
}

async function dataOf(
  site: Pick<Site, 'models'>,
  owner: AdminUser,
  { changes, occurredAt, resourceId, resourceType }: WrittenRecord
) {
  const reader = readerOf(site, resourceType)
  const [key] = (reader && readKey(reader, resourceId)) ?? []
  if (!reader || !key) return null
  const actor = userActor(owner)
  const own = await reader.resource.for(actor)
  if (!own.permits('read')) return null
  const item = await itemOf(reader, key, actor)
  const isLimited =
    !owner.isSuperuser && !(seesAll(own) && !own.base.scope && !own.authorizesRecords)
  if (item && isLimited && (await isOfEarlier(resourceType, resourceId, occurredAt))) return null
  if (!item && !(await mayKnowOfMissing(reader, own, key, owner, changes))) return null
  const shownHere = item ? await shownOn(own, key, { actor }) : new Set<string>()
  const shown = Object.entries(changes).filter(([name]) => sees(own, owner, shownHere, name))
  return { id: key.length === 1 ? key[0] : key, record: item, changes: Object.fromEntries(shown) }
}

function readerOf(site: Pick<Site, 'models'>, name: string): Reader | undefined {
  const endpoints = resources.endpoints().find(({ resource }) => resource.name === name)
  const reader = endpoints?.crud ?? site.models.get(name)?.crud
  if (!reader || isExcludedFromInclude(reader.resource.model)) return undefined
  return reader
}

async function itemOf(reader: Reader, key: KeyValue, actor: Actor): Promise<Item | null> {
  try {
    return await reader.get(key, { actor })
  } catch (error) {
    if ((error as { status?: number }).status === 403) return null
    throw error
  }
}

/**
 * Returns true if the owner can be notified of a record that cannot be read: it was soft-deleted, or it no longer
 * exists, the owner can view all records and fields of the model, and the policy allows it.
 */
async function mayKnowOfMissing(
  reader: Reader,
  own: Resource,
  key: KeyValue,
  owner: AdminUser,
  changes: Delivery['changes']
): Promise<boolean> {
  const actor = userActor(owner)
  try {
    /* `find` throws if the policy refuses. */
    if (await reader.find(key, { actor, deleted: 'include' })) return true
    const client = own.client()
    /* The record exists outside of the owner's scope. */
    if (await own.base.reader.attributes(client, key)) return false
    if (!owner.isSuperuser && !seesAll(own)) return false
    if (own.base.scope && !owner.isSuperuser) return false
    return await reader.allows('read', { actor }, lastState(own, changes))
  } catch {
    /* A policy can refuse, or need properties that are no longer known. */
    return false
  }
}

/**
 * Returns true if the change is of an earlier record with the same key, which the owner of the webhook was perhaps not
 * allowed to view: the log has a later creation or permanent deletion.
 */
async function isOfEarlier(
  resourceType: string,
  resourceId: string,
  occurredAt: number
): Promise<boolean> {
  const [row] = await AdminAuditLog.query({ client: readingClientOf(AdminAuditLog) })
    .where({ resourceType, resourceId })
    .where((begin) =>
      begin
        .where('action', 'CREATE')
        .orWhere((deleted) => deleted.where('action', 'DELETE').whereNull('newState'))
    )
    .select('id', 'timestamp')
    .orderBy('id', 'desc')
    .limit(1)
  return row !== undefined && occurredAt < row.timestamp.toMillis() - CLOCKS
}

function seesAll({ projection }: Resource): boolean {
  if (!projection) return true
  return projection.reach('read') === null && projection.hidden.size + projection.mixed.size === 0
}

/** Returns a record with the values before its deletion, as far as they were logged. */
function lastState({ base }: Resource, changes: Delivery['changes']) {
  const record = new base.model()
  const attributes = Object.entries(changes).flatMap(([name, { old }]) => {
    const column = base.columns.find(name)
    return column ? [[column.attribute, old]] : []
  })
  record.merge(Object.fromEntries(attributes))
  return record
}

/**
 * Returns true if the owner can view a changed field of the record.
 *
 * @param shownHere  fields that the roles show on some records, including this one
 */
function sees(
  own: Resource,
  owner: AdminUser,
  shownHere: ReadonlySet<string>,
  name: string
): boolean {
  const column = own.columns.find(name)
  /* Only superusers see relations, as the log contains the keys of all related records. */
  if (!column) return owner.isSuperuser && own.model.$relationsDefinitions.has(name)
  if (column.hidden || own.projection?.hidden.has(name)) return false
  if (own.projection?.mixed.has(name)) return shownHere.has(name)
  return own.fields.some(({ apiName }) => apiName === name)
}

const PREFIX = 'whsec_'
const PURPOSE = 'webhook secret'
const BYTES = 32

/** Milliseconds for which messages are also signed with the previous secret, so that receivers can change theirs */
export const OVERLAP = 24 * 60 * 60_000

/** Returns a new secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64')
}

export function sealSecret(secret: string): string {
  return encryption.encrypt(secret, { purpose: PURPOSE })
}

/** @returns null for a secret that was encrypted with another key of the application */
export function openSecret(sealed: string): string | null {
  return encryption.decrypt<string>(sealed, PURPOSE)
}

type Secrets = Pick<AdminWebhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>

/**
 * Returns the headers of a message, as Standard Webhooks describes them. After a rotation there are two signatures.
 *
 * @param now  milliseconds
 * @returns null if the secret cannot be decrypted
 */
export function signedHeaders(
  { secret, previousSecret, previousSecretUntil }: Secrets,
  { id, body, now }: { id: string; body: string; now: number }
): Record<string, string> | null {
  const current = openSecret(secret)
  if (current === null) return null
  const isValid = previousSecret !== null && (previousSecretUntil ?? 0) > now
  const previous = isValid ? openSecret(previousSecret) : null
  const at = new Date(now)
  const secrets = previous === null ? [current] : [current, previous]
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
  }
}
