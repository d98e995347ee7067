/*
 * The middleware of the application.
 */
import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

server.errorHandler(() => import('#exceptions/handler'))

/**
 * For every request, also for one that no route matches. The last one serves the endpoints and the admin site;
 * those before it apply to them, too.
 */
server.use([() => import('adonis-atrium/middleware')])

/**
 * For every request that one of your routes matches.
 */
router.use([
  () => import('adonis-atrium/body_parser_middleware'),
  () => import('@adonisjs/session/session_middleware'),
  () => import('@adonisjs/auth/initialize_auth_middleware'),
])

/**
 * Named middleware for routes and for the `middleware` option of `@Crud`: `auth: () =>
 * import('#middleware/auth_middleware')`.
 */
export const middleware = router.named({})
