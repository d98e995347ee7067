import type { McpContext } from './mcp_context.js'
import * as records from './record_tools.js'
import { checkArguments, schemaOf, ToolError, type ToolArgument } from './tool_arguments.js'

/** A tool of the MCP server. */
interface Tool {
  title: string
  description: string
  args: Record<string, ToolArgument>
  /** `read`, `write` of new data, or `change` of existing data */
  effect: 'read' | 'write' | 'change'
  /** True if a repeated call has no further effect */
  isIdempotent?: boolean
  run(mcp: McpContext, args: Record<string, any>): Promise<Record<string, unknown>>
}

const MODEL: ToolArgument = { type: 'string', description: 'Name of a model', isRequired: true }
const ID: ToolArgument = { type: 'key', description: 'Key of the record', isRequired: true }
const VALUES: ToolArgument = {
  type: 'object',
  description: 'Values by field name, as describe_model describes them',
  isRequired: true,
}
const LIMIT: ToolArgument = {
  type: 'integer',
  description: 'Maximum number of results',
  most: records.MOST_RECORDS,
}

/** The tools by name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  list_models: {
    title: 'List models',
    description: 'Lists the models, and what can be done with their records',
    args: {},
    effect: 'read',
    run: records.listModels,
  },
  describe_model: {
    title: 'Describe a model',
    description: 'Returns the fields of a model, its filters, and the schemas of its values',
    args: { model: MODEL },
    effect: 'read',
    run: records.describeModel,
  },
  search: {
    title: 'Search',
    description: 'Finds records by title, in one model or in all',
    args: {
      query: { type: 'string', description: 'Text in the title', isRequired: true },
      model: { ...MODEL, isRequired: false },
      limit: { ...LIMIT, description: 'Maximum number of records of each model' },
    },
    effect: 'read',
    run: records.search,
  },
  list_records: {
    title: 'List records',
    description: 'Lists records of a model, filtered and sorted',
    args: {
      model: MODEL,
      filters: {
        type: 'object',
        description: 'Values by filter name, as in { "year__gte": 1990 }; all have to apply',
      },
      sort: { type: 'string', description: 'Fields, as in title,-year' },
      limit: LIMIT,
      page: { type: 'integer', description: 'Number of the page, from 1' },
    },
    effect: 'read',
    run: records.listRecords,
  },
  get_record: {
    title: 'Get a record',
    description: 'Returns a record',
    args: { model: MODEL, id: ID },
    effect: 'read',
    run: records.getRecord,
  },
  create_record: {
    title: 'Create a record',
    description: 'Creates a record, and returns it with the number of the event',
    args: { model: MODEL, values: VALUES },
    effect: 'write',
    run: records.createRecord,
  },
  update_record: {
    title: 'Update a record',
    description: 'Changes fields of a record, and returns it with the number of the event',
    args: { model: MODEL, id: ID, values: VALUES },
    effect: 'change',
    isIdempotent: true,
    run: records.updateRecord,
  },
  delete_record: {
    title: 'Delete a record',
    description: 'Deletes a record, and returns the number of the event',
    args: { model: MODEL, id: ID },
    effect: 'change',
    isIdempotent: true,
    run: records.deleteRecord,
  },
  history: {
    title: 'History of a record',
    description: 'Lists the changes of a record, newest first',
    args: { model: MODEL, id: ID, limit: LIMIT },
    effect: 'read',
    run: records.history,
  },
  undo: {
    title: 'Undo',
    description: 'Reverts the changes of an event',
    args: { event: { type: 'integer', description: 'Number of the event', isRequired: true } },
    effect: 'change',
    run: records.undo,
  },
}

/** Returns the list of tools, with the names of the models that the client can use. */
export async function describedTools(mcp: McpContext) {
  const views = await mcp.views()
  const values = views.map(({ name }) => name)
  return Object.entries(TOOLS).map(([name, { args, description, effect, isIdempotent, title }]) => {
    const own = args.model ? { ...args, model: { ...args.model, values } } : args
    return {
      name,
      title,
      description,
      inputSchema: schemaOf(own),
      annotations: {
        title,
        readOnlyHint: effect === 'read',
        destructiveHint: effect === 'change',
        idempotentHint: effect === 'read' || isIdempotent === true,
        openWorldHint: false,
      },
    }
  })
}

/**
 * Runs a tool.
 *
 * @throws ToolError, or an error that `toProblem` describes
 */
export async function runTool(
  mcp: McpContext,
  name: string,
  args: Record<string, unknown>
): Promise<Record<string, unknown>> {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  if (!tool) throw new ToolError(`There is no tool ${JSON.stringify(name)}`)
  checkArguments(tool.args, args)
  return await tool.run(mcp, args)
}
