import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import edge, { Edge, Template, type edgeGlobals } from 'edge.js'
import { RuntimeError } from '#crud'
import { engineFile } from '#base/engine_file'
import { escaped } from '../text/plain_text.js'

/**
 * Renders the templates of the site with a separate Edge instance, so that the application's Edge is not reconfigured.
 * Templates, tags, components and globals of the application are available.
 */
export class SiteTemplates {
  #edge: Edge | undefined

  private constructor(private readonly files: ReadonlyMap<string, string>) {}

  /**
   * Finds the templates of the site.
   *
   * @param directory  folder of files that replace the files of the same name in `admin/`
   * @throws RuntimeError  for a folder that does not exist
   */
  static async load(directory: string | undefined): Promise<SiteTemplates> {
    const shipped = await namedFiles(engineFile('views/admin'))
    if (directory === undefined) return new SiteTemplates(new Map(shipped))
    const isFolder = await stat(directory).then(
      (found) => found.isDirectory(),
      () => false
    )
    if (!isFolder) {
      throw new RuntimeError(
        `config/admin.ts: templatesDirectory is '${directory}', and must be a folder that exists`
      )
    }
    return new SiteTemplates(new Map([...shipped, ...(await namedFiles(directory))]))
  }

  has(name: string): boolean {
    try {
      edge.loader.resolve(this.#pathOf(name))
      return true
    } catch {
      return false
    }
  }

  /** Returns whether a template begins a whole page, and whether it has a heading of the first level. */
  shapeOf(name: string): { hasLayout: boolean; hasHeading: boolean } {
    const { template } = edge.loader.resolve(this.#pathOf(name))
    return {
      hasLayout: /<!doctype\b|@!?component\(\s*['"`]admin\/layouts\//i.test(template),
      hasHeading: /<h1[\s>]/i.test(template),
    }
  }

  /** Renders a template with the variables and globals of the request's view. */
  async render(
    { request, view }: HttpContext,
    name: string,
    data: Record<string, unknown>
  ): Promise<string> {
    /*
     * Applications without the Edge provider, such as the starter kit for APIs, have no view, so Edge's globals are
     * used.
     */
    const globals = (view ?? edge.share({ request })).getState()
    globals.html = withEscapedAttributes(globals.html)
    const { asyncCompiler, processor } = (this.#edge ??= this.#create())
    return await new CachingTemplate(asyncCompiler, globals, {}, processor).render(name, data)
  }

  /** Creates the Edge instance for the first page, because the application can configure Edge until then. */
  #create(): Edge {
    const { loader, tags, processor } = edge
    const own = Object.assign(Edge.create({ loader }), { tags, processor })
    own.configure({ cache: edge.asyncCompiler.cacheManager.enabled })
    const compiler = own.asyncCompiler
    const compile = compiler.compile.bind(compiler)
    compiler.compile = (name, variables) => compile(this.#pathOf(name), variables)
    compiler.claimTag((tag) => (isComponent(tag) ? { seekable: true, block: true } : null))
    return own
  }

  #pathOf(name: string): string {
    return this.files.get(name) ?? name
  }
}

/** Returns the templates below a folder, as pairs of name in `admin/` and absolute path. */
async function namedFiles(directory: string): Promise<Array<[string, string]>> {
  const files = await fsReadAll(directory, { filter: (path) => path.endsWith('.edge') })
  return files.map((file) => {
    const name = file.replaceAll('\\', '/').replace(/\.edge$/, '')
    return [`admin/${name}`, join(directory, file)]
  })
}

/*
 * Edge's plugin for components uses the application's Edge, so this instance has to recognize tags of components
 * itself.
 */
function isComponent(tag: string): boolean {
  return edge.loader
    .listComponents()
    .some(({ components }) => components.some(({ tagName }) => tagName === tag))
}

/**
 * A template whose includes are compiled once if templates are cached, which they are in production. Edge compiles each
 * include again, which takes more than half of the processor time of a page.
 */
export class CachingTemplate extends Template {
  readonly #cache: Edge['asyncCompiler']['cacheManager']

  constructor(...[compiler, ...others]: ConstructorParameters<typeof Template>) {
    super(compiler, ...others)
    this.#cache = compiler.cacheManager
  }

  compilePartial(path: string, ...variables: string[]) {
    /* The compiled code depends on the variables in scope where the template is included. */
    const key = `${path} with ${variables.join()}`
    const cached = this.#cache.get(key)
    if (cached) return cached
    const compiled = super.compilePartial(path, ...variables)
    this.#cache.set(key, compiled)
    return compiled
  }
}

type Html = typeof edgeGlobals.html

/**
 * Returns Edge's global `html` with an `attrs` function that escapes values. Edge's function does not escape them, so
 * that a quote would end the attribute, and it leaves out a 0.
 */
export function withEscapedAttributes(html: Html): Html {
  return { ...html, attrs: (values: Record<string, unknown>) => html.attrs(escapedWithin(values)) }
}

function escapedWithin(value: unknown): any {
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(escapedWithin)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, escapedWithin(inner)])
  )
}
