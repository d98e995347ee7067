/* `--import` of the tests of a mutant: the module MUTANT_OF has the text of the file MUTANT. */
import './loader.js'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compile } from './compile.js'

const { MUTANT, MUTANT_OF } = process.env

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || fileURLToPath(url) !== MUTANT_OF) return next(url, context)
    const source = compile(readFileSync(MUTANT, 'utf8'), MUTANT_OF)
    return { format: 'module', shortCircuit: true, source }
  },
})
