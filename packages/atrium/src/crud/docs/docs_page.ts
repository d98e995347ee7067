import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { engineFile } from '#base/engine_file'
import app from '@adonisjs/core/services/app'
import type { HttpContext, Router } from '@adonisjs/core/http'
import { Edge } from 'edge.js'
import { authorizeToken } from '../endpoints/access.js'
import { AssetStore, sendAsset } from '#base/http/asset_store'
import { noEndpoint } from '#base/http/problems'
import { limitRate } from '../http/rate_limit.js'
import { noteRefusal } from '#base/http/send_problem'
import { crudConfig } from '../settings.js'
import { Problem } from '#base/errors'
import { markGenerated } from '../endpoints/generated_routes.js'
import { schemaPath } from '../openapi/schema_route.js'

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Assets of the API page: Swagger UI unchanged from its package, and additional files. */
const docsAssets = [
  { name: 'docs.css', paths: [join(SWAGGER_UI, 'swagger-ui.css'), own('docs.css')] },
  { name: 'swagger-ui.js', paths: [join(SWAGGER_UI, 'swagger-ui-bundle.js')] },
  { name: 'docs.js', paths: [own('docs.js')] },
  { name: 'icon.svg', paths: [own('icon.svg')] },
]

function own(file: string): string {
  return engineFile(`assets/docs/${file}`)
}

/* Swagger UI loads its icons from data: URLs. Requests are only sent to the origin of the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/**
 * The API documentation page, on which users can try requests. The page itself contains no information about the API,
 * so it is public. If a token is required it prompts for one, because browsers send none automatically. The token is
 * stored only in the page's memory.
 */
class DocsPage {
  #assets: Promise<AssetStore> | undefined

  constructor(
    private readonly path: string,
    private readonly pathOfSchema: string
  ) {}

  /**
   * Returns the page, with status 401 and a form for the token if the page requires one.
   *
   * @throws Problem 429  for pages that require a token, because their requests are limited
   */
  async show(ctx: HttpContext): Promise<string> {
    const { docs, openapi } = crudConfig()
    const assets = await this.#load()
    for (const [name, value] of Object.entries(HEADERS)) ctx.response.header(name, value)

    await this.#admit(ctx)
    /* The page checks a token by requesting a path that requires one. */
    const locked = [
      { access: docs.access, path: this.path },
      { access: openapi.access, path: this.pathOfSchema },
    ].find(({ access }) => access === 'token')
    return await templates().render('page', {
      schemaPath: this.pathOfSchema,
      lockedPath: locked?.path,
      asset: (name: string) => `${this.path}/${assets.url(name)}`,
    })
  }

  /**
   * Sends a stylesheet, a script or an icon of the page.
   *
   * @throws Problem 404
   */
  async asset(ctx: HttpContext): Promise<void> {
    const assets = await this.#load()
    const asset = await assets.find(ctx.params.file)
    if (!asset) throw noEndpoint()
    ctx.response.header('x-content-type-options', 'nosniff')
    sendAsset(ctx, asset)
  }

  async #admit(ctx: HttpContext): Promise<void> {
    const { access } = crudConfig().docs
    if (access === 'token') await limitRate(ctx)
    try {
      await authorizeToken(ctx, 'The page of the API', access)
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401) throw error
      noteRefusal(ctx, error)
      ctx.response.status(401)
      for (const [name, value] of Object.entries(error.headers)) ctx.response.header(name, value)
    }
  }

  /** Loads the assets on the first request, because few processes ever serve them. */
  #load(): Promise<AssetStore> {
    this.#assets ??= AssetStore.load(docsAssets).catch((error) => {
      this.#assets = undefined
      throw error
    })
    return this.#assets
  }
}

let edge: Edge | undefined

/** Returns the engine's Edge instance, which is independent of the application's Edge settings */
function templates(): Edge {
  if (edge) return edge
  edge = Edge.create({ cache: app.inProduction })
  edge.mount(engineFile('views/docs'))
  return edge
}

/** Returns the path of the API page; undefined if the page is off or the schema is disabled. */
export function docsPath(): string | undefined {
  const { docs } = crudConfig()
  return docs.enabled && schemaPath() ? docs.path : undefined
}

/** Registers the routes of the API page. */
export function registerDocsRoutes(router: Router): void {
  const path = docsPath()
  if (!path) return
  const page = new DocsPage(path, schemaPath()!)
  const show = (ctx: HttpContext) => page.show(ctx)
  const asset = (ctx: HttpContext) => page.asset(ctx)
  for (const handler of [show, asset]) markGenerated(handler)
  router.get(path, show).as('docs')
  router.get(`${path}/:file`, asset).as('docs.asset')
}
