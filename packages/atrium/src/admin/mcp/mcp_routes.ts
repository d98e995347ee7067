import { RuntimeError } from '#base/errors'
import { signInGuard, siteMiddleware } from '../http/guards.js'
import { ownerGuard } from '../authentication/action_guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes, type RoutedSite } from '../http/site_routes.js'
import type { McpConfig, WithMcp } from '../config/mcp_config.js'
import { WriteBudget } from '../authentication/access_tokens/mcp_sessions.js'
import type { UndoSite } from '../undo/undo_in_job.js'
import type { WithAccessTokens } from '../authentication/access_tokens/access_tokens.js'

/** The parts of the site that the MCP server needs */
type McpSite = UndoSite & WithAccessTokens & WithMcp & RoutedSite

/** Module of the optional package that the MCP server needs */
const SDK = '@modelcontextprotocol/sdk/server/index.js'

/**
 * Registers the MCP server, which speaks Streamable HTTP.
 *
 * @throws RuntimeError  if the package for it is not installed
 */
export function serveMcp(site: McpSite, config: McpConfig): void {
  checkInstalled()
  const endpoint = controller(
    () => import('./mcp_endpoint.js'),
    ({ McpEndpoint }) => new McpEndpoint(site, new WriteBudget(config))
  )
  const path = site.url('/mcp')
  site.router
    .group(() => {
      site.router.post(path, endpoint('post')).as('admin.mcp')
      site.router.get(path, endpoint('stream')).as('admin.mcp.stream')
      site.router.delete(path, endpoint('end')).as('admin.mcp.end')
    })
    .use([siteMiddleware])
}

/** Registers the MCP server, if it is enabled, and the forms that undo a session and renew a write budget. */
export function mcpRoutes(site: McpSite): void {
  if (site.mcp) serveMcp(site, site.mcp)
  const sessions = controller(
    () => import('./session_undo.js'),
    ({ SessionUndoController }) => new SessionUndoController(site)
  )
  const tokens = controller(
    () => import('./session_undo.js'),
    ({ BudgetController }) => new BudgetController(site)
  )
  siteRoutes(site, [signInGuard, readPlainBody], ({ post }) => {
    post('/mcp_sessions/:name/undo', 'mcp.undo', sessions('undo'))
  })
  siteRoutes(site, [signInGuard, ownerGuard, readPlainBody], ({ post }) => {
    post('/account/tokens/:id/allow_writes', 'account.tokens.allow', tokens('allow'))
  })
}

function checkInstalled(): void {
  try {
    import.meta.resolve(SDK)
  } catch (cause) {
    throw new RuntimeError(
      'mcp of config/admin.ts needs a package that is not installed: npm install @modelcontextprotocol/sdk',
      { cause }
    )
  }
}
