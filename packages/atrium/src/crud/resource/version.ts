import type { LucidRow } from '@adonisjs/lucid/types/model'
import { versionOfJson } from '#base/values/keyed_digest'
import { writeJson } from '#base/values/json'
import type { Resource } from './resource.js'

/*
 * A version is a short text that changes with any value. REST sends it as an entity tag, a form as a
 * hidden field.
 */

/** The version of the item in a read of the record. [Q6] */
export function versionOfItem({ reader }: Resource, record: LucidRow): string {
  return versionOfJson(writeJson(reader.toItem(record)))
}

/** The entity tag of a read of the record. */
export function tagOfRecord(resource: Resource, record: LucidRow): string {
  return `"${versionOfItem(resource, record)}"`
}
