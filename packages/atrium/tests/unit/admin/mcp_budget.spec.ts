import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import { McpContext, ToolError } from '#admin/mcp/mcp_context'
import type { WriteBudget } from '#admin/authentication/access_tokens/mcp_sessions'
import type { UndoSite } from '#admin/undo/undo_in_job'
import { Problem } from '#crud'

test.group('Write budget of MCP', () => {
  test('[W5] a failed MCP write counts for the budget only if it may have been stored: {0}')
    .with([
      ['refused by the tool', new ToolError('no'), 0],
      ['refused by the database', new Problem(409, 'Conflict'), 0],
      ['failed after the commit', new Error('afterCommit'), 3],
      ['interrupted', new Problem(503, 'Busy'), 3],
    ] as Array<[string, Error, number]>)
    .run(async ({ assert }, [, error, used]) => {
      let taken = 0
      const budget = {
        take: async (_id: number, records: number) => ((taken += records), true),
        giveBack: async (_id: number, records: number) => void (taken -= records),
      } as unknown as WriteBudget
      const token = { id: 1, name: 'agent', abilities: ['mcp', '*'] }
      const mcp = new McpContext({} as UndoSite, {} as HttpContext, token, budget)
      const write = async () => {
        throw error
      }
      await assert.rejects(() => mcp.spend(3, write))
      assert.equal(taken, used)
    })
})
