/*
 * edge.js 6.5.1, where templates are cached: it keeps those that are rendered, and components, but
 * compiles every `@include` anew each time. With this, in one run of 2,000 requests each by turns, a list
 * page took 3.7 ms of processor time instead of 8.8 ms (58 % less), a form page 4.2 ms instead of 10.8 ms
 * (60 % less). No issue known. It can go when the test "Edge by itself compiles an include each time" fails.
 */
import { Edge, Template } from 'edge.js'
import { expectGround, hasMethods, hasText } from './expect_ground.js'

type Compiler = Edge['compiler']

/** @throws Exception  when Edge compiles includes or caches templates differently */
export function checkGround(
  { asyncCompiler }: Edge = new Edge(),
  template: object = Template.prototype
): void {
  expectGround('edge.js', 'edge_keep_partials', {
    'compile(templatePath, localVariables) in Template#compilePartial': hasText(
      Reflect.get(template, 'compilePartial'),
      'compile(templatePath, localVariables)'
    ),
    'Compiler#compile': hasMethods(asyncCompiler, 'compile'),
    'Compiler#cacheManager': hasMethods(asyncCompiler.cacheManager, 'get', 'set'),
  })
}

/** Makes a compiler cache `@include` templates, if it caches templates at all: in production. */
export function keepPartials(compiler: Compiler): void {
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
