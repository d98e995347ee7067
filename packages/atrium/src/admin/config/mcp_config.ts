import { isObject, POSITIVE, type Check } from '#base/checks'

/** Settings of the MCP server. */
export interface McpConfig {
  /** Records that an access token can write within an hour, until its owner allows more. Default: 100 */
  writesPerHour: number
}

export type McpInput = boolean | Partial<McpConfig>

const WRITES_PER_HOUR = 100

export const MCP_CHECK: Check = [
  (value) => typeof value === 'boolean' || isSettings(value),
  'true, false, or an object as in { writesPerHour: 100 }',
]

function isSettings(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(
    ([name, one]) => name === 'writesPerHour' && (one === undefined || POSITIVE[0](one))
  )
}

/** Returns the settings; undefined if the MCP server is not enabled. */
export function mcpConfig(input: McpInput | undefined): McpConfig | undefined {
  if (!input) return undefined
  const { writesPerHour = WRITES_PER_HOUR } = input === true ? {} : input
  return { writesPerHour }
}

/** A site with settings of the MCP server; undefined if it is disabled */
export interface WithMcp {
  readonly mcp: McpConfig | undefined
}
