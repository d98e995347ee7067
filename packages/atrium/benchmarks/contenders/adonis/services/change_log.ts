import type { HttpRequest } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { ModelObject } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import AuditLog from '../models/audit_log.js'
import EventLog from '../models/event_log.js'
import type Product from '../models/product.js'

/**
 * Stores the event of a write and its states, within the write's transaction.
 *
 * @param before  the serialized product before the write; null for a new one
 */
export async function logChange(
  request: HttpRequest,
  action: 'CREATE' | 'UPDATE',
  product: Product,
  before: ModelObject | null,
  client: TransactionClientContract
): Promise<void> {
  const after = product.serialize()
  const subject = {
    timestamp: DateTime.utc(),
    resourceType: 'Product',
    resourceId: String(product.id),
  }
  const event = await EventLog.create(
    {
      ...subject,
      eventType: action,
      status: 'success',
      ipAddress: request.ip(),
      userAgent: request.header('user-agent') ?? null,
    },
    { client }
  )
  await AuditLog.create(
    {
      ...subject,
      eventId: event.id,
      action,
      previousState: before,
      newState: after,
      changes: changesBetween(before, after),
    },
    { client }
  )
}

function changesBetween(before: ModelObject | null, after: ModelObject): ModelObject {
  const changed = Object.keys(after).filter((name) => (before?.[name] ?? null) !== after[name])
  return Object.fromEntries(
    changed.map((name) => [name, { old: before?.[name] ?? null, new: after[name] }])
  )
}
