/*
 * The middleware of the application. The modules of `#crud/http` are in app/host: `imports` of
 * package.json maps them, so that the import paths in your files stay the same.
 */
import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

server.errorHandler(() => import('#exceptions/handler'))

/**
 * For every request, also for one that no route matches.
 */
server.use([() => import('#crud/http/initialize_auth_middleware')])

/**
 * For every request that a route matches.
 */
router.use([
  () => import('#crud/http/body_parser_middleware'),
  () => import('#crud/http/session_middleware'),
])

/**
 * Named middleware for routes and for the `middleware` option of `@Crud`: `auth: () =>
 * import('#middleware/auth_middleware')`.
 */
export const middleware = router.named({})
