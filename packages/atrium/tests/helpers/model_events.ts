/* Captures emitted model events and rows of the event log. */
import emitter from '@adonisjs/core/services/emitter'
import { AdminAuditLog, AdminEventLog } from '#admin'
import { ModelCreated, ModelDeleted, ModelUpdated, type Write } from '#crud'
import { adminSite } from '#tests/helpers/admin'

type Cleanup = (callback: () => void) => void
export type ModelEvent = ModelCreated | ModelUpdated | ModelDeleted

/** Waits for listeners, which run a moment after the write. */
export function moment(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Captures all model events from now on.
 *
 * @returns a function that returns them as text: `created Plain 1`
 */
export function listen(cleanup: Cleanup): {
  events: ModelEvent[]
  heard: () => Promise<string[]>
} {
  const events: ModelEvent[] = []
  const hear = (event: ModelEvent) => void events.push(event)
  const stop = [ModelCreated, ModelUpdated, ModelDeleted].map((Event) =>
    emitter.on(Event as typeof ModelCreated, hear)
  )
  cleanup(() => stop.forEach((one) => one()))
  const heard = async () => {
    await moment()
    return events.map(inWords)
  }
  return { events, heard }
}

function inWords(event: ModelEvent): string {
  const verb = event.constructor.name.slice('Model'.length).toLowerCase()
  const soft = event instanceof ModelDeleted && event.soft ? ' softly' : ''
  const { id, left, right } = event.record as unknown as Record<string, unknown>
  return `${verb} ${event.model.name} ${id ?? `${left}/${right}`}${soft}`
}

/** A write of the log as text. */
export function writeInWords(write: Write): string {
  return `${write.kind} ${write.resource.name} ${write.key.join('/')}`
}

/** Events of the log, oldest first, once all are written. */
export async function loggedEvents(type?: string): Promise<AdminEventLog[]> {
  const { events } = await adminSite()
  await events.settle()
  const query = AdminEventLog.query().orderBy('id')
  return await (type === undefined ? query : query.where('eventType', type))
}

/** Changes of the events to a model's records, oldest first. */
export async function audited(resourceType: string): Promise<AdminAuditLog[]> {
  return await AdminAuditLog.query().where('resourceType', resourceType).orderBy('id')
}

export async function statusOf(response: Promise<{ status: number }>): Promise<number> {
  const { status } = await response
  return status
}

export async function idOf(record: Promise<{ id: number }>): Promise<number> {
  const { id } = await record
  return id
}
