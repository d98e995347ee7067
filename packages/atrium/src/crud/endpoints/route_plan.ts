import type { Operation } from '../operations/operation.js'
import type { CustomRoute, EndpointRoute, PlannedRoute } from './endpoint_route.js'
import { checkCollisions } from './generated_endpoints.js'

/** The routes of one model, before they are added to the router. */
export class RoutePlan {
  readonly #routes: PlannedRoute[] = []

  /**
   * @param name  the model's name
   * @param base  the model's path
   * @param has   true if a route of the operation is offered
   */
  constructor(
    private readonly name: string,
    private readonly base: string,
    private readonly has: (operation: Operation) => boolean
  ) {}

  add(route: PlannedRoute): void {
    this.#routes.push(route)
  }

  /** Adds a custom route. It goes before the generated ones. [A27] */
  addCustom(route: CustomRoute): void {
    const operation = route.operation ?? (route.method === 'GET' ? 'read_multi' : 'update')
    const path = route.path.startsWith('/') ? route.path : `/${route.path}`
    const name = `${route.method} ${path}`
    this.add({ ...route, path, operation, name, isCustom: true })
  }

  /**
   * @throws ValueError  when two routes have the same method and path
   */
  check(): void {
    checkCollisions(this.name, this.base, this.#routes)
  }

  /** The offered routes, in the router's order. */
  get offered(): PlannedRoute[] {
    return this.#routes
      .filter(({ operation }) => this.has(operation))
      .sort((a, b) => Number(b.isCustom) - Number(a.isCustom))
  }

  /** The offered routes as public descriptions. */
  get described(): EndpointRoute[] {
    return this.offered.map((route) => {
      const { operation, operations, name, method, path, isCustom, middleware, openapi } = route
      return {
        operation,
        ...(operations && { operations }),
        name,
        method,
        path: this.fullPath(path),
        isCustom,
        middleware: middleware && [...middleware],
        openapi,
      }
    })
  }

  /** The full path of a path of the plan. */
  fullPath(path: string): string {
    return this.base + path || '/'
  }
}
