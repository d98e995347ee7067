import { readFile } from 'node:fs/promises'
import string from '@adonisjs/core/helpers/string'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import { authorizeToken } from '../endpoints/access.js'
import { checkAcceptable, JSON_TYPE } from '../http/list_format.js'
import { compressed, type CompressedText, bestEncoding } from '#base/http/asset_store'
import { matchesWeakly, parseTags } from '#base/http/etag'
import type { ResourceRegistry } from '../resource/registry.js'
import { crudConfig } from '../settings.js'
import type { CrudConfig } from '../define_config.js'
import type { ApiInfo } from './openapi_types.js'
import { loadRelated } from './parameter_objects.js'
import { buildDocument } from './document.js'
import { digest } from '#base/values/digest'

/**
 * Sends the API schema. It is built on the first request, because it requires loaded resources, and then cached.
 */
export class ServedSchema {
  #made: Promise<CompressedText & { tag: string }> | undefined

  constructor(private readonly resources: ResourceRegistry) {}

  /** @throws Problem 401  without a token, if one is required */
  async show(ctx: HttpContext): Promise<void> {
    const { request, response } = ctx
    await authorizeToken(ctx, 'The API schema', crudConfig().openapi.access)
    checkAcceptable(ctx, [JSON_TYPE])

    this.#made ??= this.#make(ctx).catch((error) => {
      this.#made = undefined
      throw error
    })
    const { tag, ...asset } = await this.#made
    const encoding = bestEncoding(request)
    /*
     * Browsers can cache the schema, but must revalidate it: a new version of the application can have another schema.
     */
    if (!response.getHeader('cache-control')) response.header('cache-control', 'no-cache')
    const own = `"${tag}${encoding ? `-${encoding}` : ''}"`
    response.header('etag', own).vary('Accept-Encoding')
    const known = request.header('If-None-Match')
    if (known !== undefined && matchesWeakly(parseTags('If-None-Match', known), own)) {
      return response.status(304).send('')
    }

    response.header('content-type', asset.type)
    if (encoding === 'br') response.header('content-encoding', 'br').send(asset.brotli)
    else if (encoding === 'gzip') response.header('content-encoding', 'gzip').send(asset.gzip)
    else response.send(asset.body)
  }

  async #make(ctx: HttpContext) {
    await this.resources.load()
    /* Some included models have no endpoints, so they are not loaded with the other models. */
    for (const resource of this.resources.all()) {
      for (const include of resource.includes.values()) await include.load()
      await loadRelated(resource)
    }
    const config = crudConfig()
    const manifest = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    const info = infoOf(manifest, config.openapi)
    const document = buildDocument(this.resources.endpoints(), config, info, (resource, error) =>
      ctx.logger.error({ err: error }, `${resource.name} cannot be described in the API schema`)
    )
    const body = Buffer.from(JSON.stringify(document))
    const tag = digest(body, 'base64url').slice(0, 22)
    return { ...(await compressed(body, 'application/json; charset=utf-8')), tag }
  }
}

/** The parts of a package.json that describe the API */
interface Manifest {
  name: string
  version?: string
  license?: string
  author?: string | { name?: string; email?: string; url?: string }
}

/** Returns title, version, contact and license: those of the configuration, otherwise of package.json. */
function infoOf(manifest: Manifest, { title, version }: CrudConfig['openapi']): ApiInfo {
  const { license = 'UNLICENSED' } = manifest
  const isSpdx = /^[\w.+-]+$/.test(license) && license !== 'UNLICENSED'
  return {
    title: title ?? `${string.capitalCase(manifest.name)} API`,
    version: version ?? manifest.version ?? '0.0.0',
    contact: contactOf(manifest),
    license: { name: license, ...(isSpdx && { identifier: license }) },
  }
}

/**
 * Returns the author, such as `Jo <jo@example.com> (https://example.com)`; the default URL is that of the application.
 */
function contactOf({ author }: Manifest): ApiInfo['contact'] {
  const url = app.config.get<string>('app.appUrl')
  if (typeof author === 'object') return { url, ...author }
  const [, name, email, page] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(author ?? '')!
  const known = { name: name.trim(), email, url: page ?? url }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value))
}
