import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const PostsController = () => import('#controllers/posts_controller')
const SessionController = () => import('#controllers/session_controller')

router.on('/').render('pages/home').as('home')
router.get('login', [SessionController, 'create']).as('session.create')
router.post('login', [SessionController, 'store'])
router.post('logout', [SessionController, 'destroy']).use(middleware.auth())

router.get('posts', [PostsController, 'index']).as('posts.index')
router.get('posts.json', [PostsController, 'json'])
router.post('posts', [PostsController, 'store']).use(middleware.auth())
router.get('broken', () => {
  throw new Error('Broken')
})
