/*
 * edge.js 6.5.1, where templates are cached: it keeps those that are rendered, and components, but
 * compiles every `@include` anew each time, and lists the folders of components before each page. With
 * this, in one run of 2,000 requests each by turns, a list page took 3.7 ms of processor time instead of
 * 8.8 ms (58 % less), a form page 4.2 ms instead of 10.8 ms (60 % less). No issue known. It can go when the
 * test "Edge by itself compiles an include each time" fails.
 */
import { Template, type Edge } from 'edge.js'
import { expectGround, hasMethods, hasText } from './expect_ground.js'

const keeping = new WeakSet<object>()

/** @throws Exception  when Edge compiles includes, caches templates or finds components differently */
export function checkGround(
  { compiler, loader }: Edge,
  template: object = Template.prototype
): void {
  expectGround('edge.js', 'edge_keep_partials', {
    'compile(templatePath, localVariables) in Template#compilePartial': hasText(
      Reflect.get(template, 'compilePartial'),
      'compile(templatePath, localVariables)'
    ),
    'Compiler#compile': hasMethods(compiler, 'compile'),
    'Compiler#cacheManager': hasMethods(compiler.cacheManager, 'get', 'set'),
    'Loader#listComponents': hasMethods(loader, 'listComponents'),
    'Loader#mount, unmount, register, remove': hasMethods(
      loader,
      'mount',
      'unmount',
      'register',
      'remove'
    ),
  })
}

/**
 * Makes Edge cache compiled `@include` templates, and the list of components, if it caches templates at
 * all: in production.
 *
 * @throws Exception  as `checkGround`
 */
export function keepPartials(edge: Edge): void {
  checkGround(edge)
  keepComponents(edge)
  for (const compiler of [edge.compiler, edge.asyncCompiler]) {
    if (keeping.has(compiler)) continue
    keeping.add(compiler)
    const compile = compiler.compile.bind(compiler)
    compiler.compile = (path, variables) => {
      if (!variables) return compile(path)
      /* The compiled code depends on the variables that are known where the template is included. */
      const key = `${path} with ${variables.join()}`
      const kept = compiler.cacheManager.get(key)
      if (kept) return kept
      const compiled = compile(path, variables)
      compiler.cacheManager.set(key, compiled)
      return compiled
    }
  }
}

function keepComponents({ loader, compiler }: Edge): void {
  if (keeping.has(loader) || !compiler.cacheManager.enabled) return
  keeping.add(loader)
  let listed: ReturnType<typeof loader.listComponents> | undefined
  const list = loader.listComponents.bind(loader)
  loader.listComponents = () => (listed ??= list())
  for (const change of ['mount', 'unmount', 'register', 'remove'] as const) {
    const make = loader[change].bind(loader) as (...values: unknown[]) => void
    loader[change] = (...values: unknown[]) => {
      listed = undefined
      make(...values)
    }
  }
}
