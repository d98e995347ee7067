import type { LucidRow } from '@adonisjs/lucid/types/model'
import { keyedDigest } from '../values/keyed_digest.js'
import { writeJson } from '../values/json.js'
import { toWire } from '../values/to_api.js'
import type { Resource } from './resource.js'

/**
 * A short text that is another one once any value of the record has changed. Hidden columns are left
 * out: it goes to callers, and must not let them guess. [B25]
 */
export function versionOf(resource: Resource, record: LucidRow): string {
  const attributes = record as unknown as Record<string, unknown>
  const values = resource.columns.visible.map((column) =>
    toWire(column, attributes[column.attribute])
  )
  return keyedDigest(writeJson(values))
}
