import type { Edge } from 'edge.js'

const keeping = new WeakSet<object>()

/**
 * Makes Edge keep compiled what `@include` takes in, where it keeps templates at all: in production.
 * As it comes it keeps those that are rendered and components, but compiles every include anew each
 * time, which takes longer than all else about a page; and it looks through the folders for
 * components before each page.
 */
export function keepPartials(edge: Edge): void {
  keepComponents(edge)
  for (const compiler of [edge.compiler, edge.asyncCompiler]) {
    if (keeping.has(compiler)) continue
    keeping.add(compiler)
    const compile = compiler.compile.bind(compiler)
    compiler.compile = (path, variables) => {
      if (!variables) return compile(path)
      /* What is compiled depends on the names that are known where it is included. */
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
