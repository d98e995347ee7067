/*
 * The middleware of the application.
 */
import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

server.errorHandler(() => import('#exceptions/handler'))

/**
 * For every request, also for one that no route matches.
 */
server.use([() => import('#host/initialize_auth_middleware')])

/**
 * For every request that a route matches.
 */
router.use([() => import('#host/body_parser_middleware')])

/**
 * Middleware to be named by routes and by the `middleware` option of `@Crud`:
 * `auth: () => import('#middleware/auth_middleware')`.
 */
export const middleware = router.named({})
