import type { HttpContext } from '@adonisjs/core/http'
import { authorizeToken } from '../endpoints/access.js'
import { AssetStore } from '../http/asset_store.js'
import { Problem } from '../http/problem.js'
import { noEndpoint } from '../http/problems.js'
import { limitRate } from '../http/rate_limit.js'
import { sendAsset } from '../http/send_asset.js'
import { crudConfig } from '../settings.js'
import { docsAssets } from './docs_assets.js'

/* Swagger UI draws its marks from data: URLs. Calls go to where the page comes from, and nowhere else. */
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
 * The page to read the API schema and to try calls. The page itself tells nothing of the API: it is
 * shown to everybody, and where a token is needed asks for one, as a browser sends none by itself. The
 * token stays in the page's memory. [Q1]
 */
export class DocsPage {
  #assets: Promise<AssetStore> | undefined

  constructor(
    private readonly path: string,
    private readonly schemaPath: string
  ) {}

  /**
   * 200, or 401 with the form that asks for a token where the page is behind one.
   *
   * @throws Problem 429  where tokens are looked at, those requests count [Q8]
   */
  async show(ctx: HttpContext): Promise<string> {
    const { docs, openapi } = crudConfig()
    const assets = await this.#load()
    for (const [name, value] of Object.entries(HEADERS)) ctx.response.header(name, value)

    await this.#admit(ctx)
    /* Whether a token is right is seen by asking for what needs one. */
    const locked = [
      { access: docs.access, path: this.path },
      { access: openapi.access, path: this.schemaPath },
    ].find(({ access }) => access === 'token')
    return await ctx.view.render('docs/page', {
      schemaPath: this.schemaPath,
      lockedPath: locked?.path,
      asset: (name: string) => `${this.path}/${assets.url(name)}`,
    })
  }

  /**
   * A stylesheet, a script or an icon of the page.
   *
   * @throws Problem 404
   */
  async asset(ctx: HttpContext): Promise<void> {
    const assets = await this.#load()
    const asset = assets.find(ctx.params.file)
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
      ctx.response.status(401)
      for (const [name, value] of Object.entries(error.headers)) ctx.response.header(name, value)
    }
  }

  /** When it is first asked for: few processes ever are, and it is much to compress. */
  #load(): Promise<AssetStore> {
    this.#assets ??= AssetStore.load(docsAssets).catch((error) => {
      this.#assets = undefined
      throw error
    })
    return this.#assets
  }
}
