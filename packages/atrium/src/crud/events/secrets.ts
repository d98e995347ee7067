import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { isSecretName } from '#base/values/secret_name'

const SHOWN = new WeakMap<Resource, readonly Column[]>()

/**
 * Returns the columns that events are allowed to report: without hidden columns and columns with the name of a secret,
 * even if the model serializes them.
 */
export function loggedColumns(resource: Resource): readonly Column[] {
  let columns = SHOWN.get(resource)
  if (!columns) {
    columns = resource.columns.visible.filter((column) => !isSecret(column))
    SHOWN.set(resource, columns)
  }
  return columns
}

function isSecret({ attribute, name, apiName }: Column): boolean {
  return [attribute, name, apiName].some(isSecretName)
}
