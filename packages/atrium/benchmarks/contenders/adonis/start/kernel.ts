import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

server.errorHandler(() => import('../exceptions/handler.js'))

router.use([() => import('@adonisjs/core/bodyparser_middleware')])

export const middleware = router.named({
  session: () => import('@adonisjs/session/session_middleware'),
  initializeAuth: () => import('@adonisjs/auth/initialize_auth_middleware'),
  auth: () => import('../middleware/auth_middleware.js'),
})
