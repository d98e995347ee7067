import type { LucidRow } from '@adonisjs/lucid/types/model'
import { FOR_VERSIONS, keyedDigest } from '../values/keyed_digest.js'
import { writeJson } from '../values/json.js'
import { toApi } from '../values/to_api.js'
import type { Resource } from './resource.js'

/*
 * A version is a short text that changes with any value. REST sends it as an entity tag, a form as a
 * hidden field.
 */

/**
 * The version of a response. [Q6]
 *
 * @param json  the whole response, or the whole item if the response has only some of its fields
 */
export function versionOfJson(json: string | Buffer): string {
  return keyedDigest(json, FOR_VERSIONS)
}

/** The version of the item in a read of the record. [Q6] */
export function versionOfItem({ reader }: Resource, record: LucidRow): string {
  return versionOfJson(writeJson(reader.toItem(record)))
}

/**
 * The version of a record's visible columns, including those that responses leave out. Hidden columns do
 * not count: callers see the version, and must not be able to guess values from it. [B25]
 */
export function versionOf(resource: Resource, record: LucidRow): string {
  const attributes = record as unknown as Record<string, unknown>
  const values = resource.columns.visible.map((column) =>
    toApi(column, attributes[column.attribute])
  )
  return versionOfJson(writeJson(values))
}
