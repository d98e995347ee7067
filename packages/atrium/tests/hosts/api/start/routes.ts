import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const AccessTokenController = () => import('#controllers/access_token_controller')
const PostsController = () => import('#controllers/posts_controller')
const ProfileController = () => import('#controllers/profile_controller')

router.get('/', () => ({ hello: 'world' }))

router
  .group(() => {
    router.post('auth/login', [AccessTokenController, 'store'])
    router.post('auth/logout', [AccessTokenController, 'destroy']).use(middleware.auth())
    router.get('account/profile', [ProfileController, 'show']).use(middleware.auth())
    router.get('posts', [PostsController, 'index'])
    router.post('posts', [PostsController, 'store']).use(middleware.auth())
    router.get('broken', () => {
      throw new Error('Broken')
    })
  })
  .prefix('/api/v1')
