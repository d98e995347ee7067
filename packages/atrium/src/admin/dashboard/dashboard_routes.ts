import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { modelPage, offered, type ModelRoutes } from '../http/model_routes.js'
import { siteRoutes, type RoutedSite } from '../http/site_routes.js'
import type { CardSite } from './cards/card_list.js'

const newCard = modelPage(
  () => import('./added_card_controller.js'),
  ({ NewCardController }) => NewCardController
)

/** Registers the routes of the dashboard. */
export function dashboardRoutes(site: CardSite & RoutedSite): void {
  const dashboard = controller(
    () => import('./dashboard_controller.js'),
    ({ DashboardController }) => new DashboardController(site)
  )
  const arrange = controller(
    () => import('./arrange_controller.js'),
    ({ ArrangeController }) => new ArrangeController(site)
  )
  const added = controller(
    () => import('./added_card_controller.js'),
    ({ AddedCardController }) => new AddedCardController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ get, post }) => {
    get('/', 'dashboard', dashboard('show'))
    get('/dashboard-content', 'dashboard.content', dashboard('content'))
    get('/dashboard/cards/:name', 'dashboard.card', dashboard('card'))
    get('/dashboard/arrange', 'dashboard.arrange', arrange('show'))
    post('/dashboard/arrange', 'dashboard.arrange.store', arrange('submit'))
    get('/dashboard/cards/:name/edit', 'dashboard.card.edit', added('edit'))
    post('/dashboard/cards/:name/edit', 'dashboard.card.update', added('update'))
    get('/dashboard/cards/:name/remove', 'dashboard.card.ask', added('askToRemove'))
    post('/dashboard/cards/:name/remove', 'dashboard.card.remove', added('remove'))
  })
}

/** Registers the pages that add the list of a model to the user's dashboard. */
export function newCardRoutes(routes: ModelRoutes<CardSite & RoutedSite>): void {
  if (!routes.view.allowedActions.has('view')) return
  routes.group([readBody], (route) => {
    route('GET', '/cards/new', ['view'], offered('view', newCard('create')))
    route('POST', '/cards', ['view'], offered('view', newCard('store')))
  })
}
