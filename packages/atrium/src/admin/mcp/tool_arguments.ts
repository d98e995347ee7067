/** An error that the client of a tool can correct. */
export class ToolError extends Error {}

export type ArgumentType = 'string' | 'integer' | 'key' | 'object'

/** JSON Schema of a tool's arguments */
export interface ToolSchema {
  type: 'object'
  properties: Record<string, Record<string, unknown>>
  required: string[]
  additionalProperties: false
}

/** An argument of a tool. */
export interface ToolArgument {
  type: ArgumentType
  description: string
  isRequired?: boolean
  /** Allowed values */
  values?: readonly string[]
  most?: number
}

const SCHEMAS: Record<ArgumentType, Record<string, unknown>> = {
  string: { type: 'string' },
  integer: { type: 'integer', minimum: 1 },
  key: { type: ['string', 'integer', 'array'], items: { type: ['string', 'integer'] } },
  object: { type: 'object' },
}

const WORDS: Record<ArgumentType, string> = {
  string: 'a text',
  integer: 'a positive integer',
  key: 'a key: a text or an integer, or a list of the parts of a composite key',
  object: 'an object',
}

export function schemaOf(args: Readonly<Record<string, ToolArgument>>): ToolSchema {
  const properties = Object.entries(args).map(([name, { type, description, values, most }]) => {
    const limits = { ...(values && { enum: values }), ...(most && { maximum: most }) }
    return [name, { ...SCHEMAS[type], ...limits, description }] as const
  })
  const required = Object.entries(args).flatMap(([name, { isRequired }]) =>
    isRequired ? name : []
  )
  const all = Object.fromEntries(properties)
  return { type: 'object', properties: all, required, additionalProperties: false }
}

/**
 * Checks the arguments of a call.
 *
 * @throws ToolError  for an unknown, missing or invalid argument
 */
export function checkArguments(
  args: Readonly<Record<string, ToolArgument>>,
  given: Record<string, unknown>
): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(args, name)) continue
    const names = Object.keys(args).join(', ') || 'none'
    throw new ToolError(`Unknown argument ${JSON.stringify(name)}; arguments are: ${names}`)
  }
  for (const [name, { isRequired, most, type }] of Object.entries(args)) {
    const value = given[name]
    if (value === undefined) {
      if (isRequired) throw new ToolError(`The argument ${name} is missing`)
      continue
    }
    if (!isOf(type, value)) throw new ToolError(`The argument ${name} must be ${WORDS[type]}`)
    if (most !== undefined && (value as number) > most) {
      throw new ToolError(`The argument ${name} must be ${most} or less`)
    }
  }
}

function isOf(type: ArgumentType, value: unknown): boolean {
  if (type === 'string') return typeof value === 'string'
  if (type === 'integer') return Number.isSafeInteger(value) && (value as number) > 0
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  const parts = Array.isArray(value) ? value : [value]
  return parts.every((part) => typeof part === 'string' || Number.isSafeInteger(part))
}
