import { isDeepStrictEqual } from 'node:util'
import type { SchemaObject } from './openapi_types.js'

/** VineJS's schema of a boolean: all values that it accepts. */
const VINE_BOOLEAN = ['1', 1, 'true', true, 'on', '0', 0, 'false', false]

/** The types that `vine.any()` lists. */
const EVERY_TYPE = ['string', 'number', 'boolean', 'array', 'object']

/**
 * Converts VineJS's JSON Schema (draft 7) to the dialect of OpenAPI 3.1, from the caller's point of
 * view: a boolean is a boolean, and unknown fields are ignored, not refused.
 */
export function fromVine(json: object): SchemaObject {
  const { additionalItems, ...schema } = json as SchemaObject & { additionalItems?: unknown }
  if (schema.enum && isDeepStrictEqual(schema.enum, VINE_BOOLEAN)) {
    delete schema.enum
    schema.type = 'boolean'
  }
  if (schema.enum && !schema.type) {
    const types = new Set(schema.enum.map((value) => typeof value))
    if (types.size === 1) schema.type = [...types][0]
  }
  if (schema.anyOf) {
    if (isEverything(schema.anyOf)) delete schema.anyOf
    else schema.anyOf = schema.anyOf.map(fromVine)
  }
  if (Array.isArray(schema.items)) {
    schema.prefixItems = schema.items.map(fromVine)
    if (additionalItems === false) schema.items = false
    else delete schema.items
  } else if (typeof schema.items === 'object') schema.items = fromVine(schema.items)

  if (schema.properties) schema.properties = mapValues(schema.properties, fromVine)
  if (typeof schema.additionalProperties === 'object') {
    schema.additionalProperties = fromVine(schema.additionalProperties)
  } else if (schema.properties) delete schema.additionalProperties
  if (schema.type === 'object' && !schema.properties) schema.additionalProperties ??= true
  if (schema.pattern !== undefined && !isPortable(schema.pattern)) delete schema.pattern
  return schema
}

function isEverything(alternatives: SchemaObject[]): boolean {
  return EVERY_TYPE.every((type) => alternatives.some((one) => isDeepStrictEqual(one, { type })))
}

/** Readers of the schema compile patterns with the flag `u`, which allows fewer escapes. */
function isPortable(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
}
