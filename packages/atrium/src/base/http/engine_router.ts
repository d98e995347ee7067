import { Router, type Route } from '@adonisjs/core/http'
import { RuntimeError } from '../errors.js'

type RouterParameters = ConstructorParameters<typeof Router>

/** Routes that are created on first use */
interface LaterRoutes {
  register: () => void
  /** Router with these routes; undefined until the first request to one of them */
  router: Router | undefined
}

/**
 * The router of the engine. The routes below a model's path are created when the first request for that path arrives:
 * creating those of hundreds of models would take most of the startup time.
 */
export class EngineRouter extends Router {
  readonly #parameters: RouterParameters
  readonly #later = new Map<string, LaterRoutes>()
  /** Numbers of segments of the paths in `#later`, highest first */
  #depths: readonly number[] = []
  #making: Router | undefined
  /** Patterns of the routes that are not created later */
  readonly #patterns = new Set<string>()

  constructor(...parameters: RouterParameters) {
    super(...parameters)
    this.#parameters = parameters
  }

  /**
   * Adds routes that are created when the first request for one of the paths, or a path below, arrives. If several
   * routes match, those of the longest path respond.
   *
   * @param addresses  paths without parameters, such as `/api/products`; all routes have to be at or below them
   * @param register   adds the routes to this router
   */
  later(addresses: readonly string[], register: () => void): void {
    const routes: LaterRoutes = { register, router: undefined }
    for (const address of addresses) {
      const segments = segmentsOf(address)
      this.#later.set(keyOf(segments), routes)
      if (this.#depths.includes(segments.length)) continue
      this.#depths = [...this.#depths, segments.length].toSorted((one, other) => other - one)
    }
  }

  override route(...parameters: [string, string[], any]): Route<any> {
    if (this.#making) return this.#making.route(...parameters)
    this.#patterns.add(parameters[0])
    return super.route(...parameters)
  }

  override group(callback: () => void) {
    return this.#making ? this.#making.group(callback) : super.group(callback)
  }

  override match(...parameters: Parameters<Router['match']>): ReturnType<Router['match']> {
    for (const router of this.#routersAt(parameters[0])) {
      const found = router.match(...parameters)
      if (found) return found
    }
    return super.match(...parameters)
  }

  /**
   * Returns true if a path belongs to a route that was already added, or is at or below a path of `later`.
   *
   * @param path  path without parameters
   */
  serves(path: string): boolean {
    const segments = segmentsOf(path)
    const isLater = this.#depths.some((depth) => this.#later.has(keyOf(segments.slice(0, depth))))
    return isLater || [...this.#patterns].some((pattern) => covers(pattern, segments))
  }

  /** Returns all routes. Creates those that do not exist yet. */
  override toJSON(): ReturnType<Router['toJSON']> {
    const made = new Set(this.#later.values().map((one) => this.#make(one)))
    return this.#listOf(made)
  }

  /**
   * Returns the routes at and below some paths, and those that were not added with `later`.
   *
   * @param patterns  patterns in the router's notation
   */
  routesAt(patterns: Iterable<string>): ReturnType<Router['toJSON']> {
    const made = new Set<Router>()
    for (const pattern of patterns) for (const router of this.#routersAt(pattern)) made.add(router)
    return this.#listOf(made)
  }

  #listOf(made: Iterable<Router>): ReturnType<Router['toJSON']> {
    const all = { ...super.toJSON() }
    for (const router of made) {
      for (const [domain, routes] of Object.entries(router.toJSON())) {
        all[domain] = [...(all[domain] ?? []), ...routes]
      }
    }
    return all
  }

  *#routersAt(path: string): Generator<Router> {
    if (this.#later.size === 0) return
    const address = isPlain(path) ? path : keyOf(segmentsOf(path))
    const ends = segmentEnds(address, this.#depths[0])
    for (const depth of this.#depths) {
      const routes = this.#later.get(address.slice(0, ends[depth - 1] ?? ends.at(-1)))
      if (routes) yield this.#make(routes)
    }
  }

  #make(routes: LaterRoutes): Router {
    if (routes.router) return routes.router
    const router = new Router(...this.#parameters)
    this.#making = router
    try {
      routes.register()
    } finally {
      this.#making = undefined
    }
    router.commit()
    return (routes.router = router)
  }
}

let own: EngineRouter | undefined

/**
 * Returns the router of the engine. Its routes are not on the application's router, so that middleware of that router
 * does not apply to them.
 *
 * @throws RuntimeError  before the provider has booted
 */
export function engineRouter(): EngineRouter {
  if (own) return own
  throw new RuntimeError('The provider of #crud has not booted yet, so it has no routes')
}

/** Sets the router; called by the provider. */
export function useRouter(router: EngineRouter): void {
  own = router
}

/** Returns true if a route with the pattern matches a path with these segments. */
function covers(pattern: string, segments: readonly string[]): boolean {
  const parts = segmentsOf(pattern)
  const isOpen = parts.at(-1) === '*'
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false
  return parts.every((part, at) => part === '*' || part.startsWith(':') || part === segments[at])
}

/** True for a path that is the same after its segments are joined again, apart from a slash at its end. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.includes('//')
}

/** Returns the positions after the first segments of a plain path. */
function segmentEnds(path: string, most: number): number[] {
  const ends: number[] = []
  let end = 0
  while (ends.length < most && end < path.length - 1) {
    const next = path.indexOf('/', end + 1)
    ends.push((end = next === -1 ? path.length : next))
  }
  return ends
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

function keyOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`
}
