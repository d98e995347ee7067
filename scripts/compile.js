/*
 * From TypeScript to JavaScript, by the compiler that ts-exec brings: for the loader, and for the build of the engine.
 */
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What ts-exec imports. Found without Node.js's resolver, from which the loader hides ts-exec */
const packages = createRequire(packageOf('@poppinss/ts-exec', import.meta.dirname))

/** The options that ts-exec reads from the project's tsconfig.json */
const OPTIONS = {
  module: { type: 'es6' },
  jsc: {
    target: 'esnext',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { decoratorMetadata: true, legacyDecorator: true },
    experimental: { keepImportAttributes: true },
  },
}

let swc

/**
 * @param {string} text      a file of TypeScript
 * @param {string} filename  its path
 * @param {object} options   of swc, in addition
 * @returns {string} JavaScript
 * @throws {Error} for a syntax error
 */
export function compile(text, filename, options) {
  swc ??= packages('@swc/core')
  const own = filename.endsWith('x') ? optionsOfJsx(filename) : OPTIONS
  return swc.transformSync(text, { ...own, filename, ...options }).code
}

function optionsOfJsx(filename) {
  const { config } = packages('get-tsconfig').getTsconfig(filename) ?? {}
  const react = { runtime: 'automatic', importSource: config?.compilerOptions?.jsxImportSource }
  const { jsc } = OPTIONS
  const parser = { ...jsc.parser, tsx: true }
  return { ...OPTIONS, jsc: { ...jsc, parser, transform: { ...jsc.transform, react } } }
}

/** The package.json of an installed package; its absence is an error of Node.js. */
function packageOf(name, folder) {
  const path = join(folder, 'node_modules', name, 'package.json')
  const parent = dirname(folder)
  return existsSync(path) || parent === folder ? realpathSync(path) : packageOf(name, parent)
}
