import router from '@adonisjs/core/services/router'
import './kernel.js'

const LoggedProductsController = () => import('../controllers/logged_products_controller.js')

router.resource('api/products', LoggedProductsController).only(['store', 'update'])
