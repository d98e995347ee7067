import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ADMIN_OPTIONS, storedOptions } from '#base/stored_options'
import type { SchemaObject } from './openapi_types.js'

/** The options of the admin site that describe the values of enums. */
interface DescribedFields {
  fields?: Record<string, { choices?: Record<string, { label?: string }> }>
}

/**
 * Returns a map of properties with `x-enum-descriptions` where the admin site has labels for the values of an enum: a
 * list in the order of `enum`.
 */
export function withEnumDescriptions(
  model: LucidModel,
  properties: Record<string, SchemaObject>
): Record<string, SchemaObject> {
  const { fields } = storedOptions<DescribedFields>(model, ADMIN_OPTIONS, '@AdminView') ?? {}
  if (!fields) return properties
  const described = Object.entries(properties).map(([name, schema]) => {
    const choices = Object.hasOwn(fields, name) ? fields[name].choices : undefined
    return [name, choices && schema.enum ? labelled(schema, choices) : schema] as const
  })
  return Object.fromEntries(described)
}

function labelled(schema: SchemaObject, choices: Record<string, { label?: string }>): SchemaObject {
  const labels = schema.enum!.map((value) => {
    const name = String(value)
    return (Object.hasOwn(choices, name) ? choices[name].label : undefined) ?? name
  })
  return { ...schema, 'x-enum-descriptions': labels }
}
