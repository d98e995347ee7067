import router from '@adonisjs/core/services/router'
import { middleware } from './kernel.js'

const ProductsController = () => import('../controllers/products_controller.js')
const AdminProductsController = () => import('../controllers/admin_products_controller.js')
const LoginController = () => import('../controllers/login_controller.js')

router.resource('api/products', ProductsController).only(['index', 'show', 'store', 'update'])

/* The endpoints above need no session, so only the pages have one. */
router
  .group(() => {
    router.post('login', [LoginController, 'store'])
    router.get('Product', [AdminProductsController, 'index']).use(middleware.auth())
  })
  .prefix('admin')
  .use([middleware.session(), middleware.initializeAuth()])
