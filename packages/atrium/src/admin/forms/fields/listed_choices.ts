import type { BodyField } from '#base/schema/body_schema'
import type { Column } from '#base/columns/column'
import type { ModelView } from '../../model_view.js'

/**
 * Values that a field takes, where its schema or the database lists them.
 */
export function choicesOf({
  json,
  column,
  rules,
  type,
}: BodyField): readonly unknown[] | undefined {
  if (type === 'boolean') return undefined
  if (json.enum) return json.enum
  const listed = rules.find(({ name }) => name === 'inList')?.options as { choices?: unknown }
  if (Array.isArray(listed?.choices)) return listed.choices
  return column?.choices ?? undefined
}

/**
 * Returns true if the values of a column are words of a list.
 */
export function isChoice({ resource }: ModelView, { apiName, isText, choices }: Column): boolean {
  if (!isText) return false
  if (choices !== null) return true
  return [resource.createBody, resource.updateBody].some(({ fields }) =>
    fields.some((field) => field.apiName === apiName && choicesOf(field) !== undefined)
  )
}
