import type { Policy } from '../types.js'

/* `record` is the fourth parameter of a policy. */
const WITH_RECORD = 4

/**
 * Whether a policy may look at the record: it declares the fourth parameter, or it can be given it in
 * another way, by a rest parameter, behind a parameter with a default, or through `arguments`. One
 * whose parameters can't be read, as those of a bound function, may look at it, too: the price of a
 * wrong yes is time, that of a wrong no is a record shown. [P14]
 */
export function looksAtRecord(policy: Policy): boolean {
  if (policy.length >= WITH_RECORD) return true
  const source = Function.prototype.toString.call(policy)
  if (source.includes('[native code]') || /\barguments\b/.test(source)) return true
  const parameters = parametersIn(source)
  return parameters === null || /\.\.\.|=/.test(parameters)
}

/** As they are written; null where they can't be found. */
function parametersIn(source: string): string | null {
  /* An arrow function may have a single one without parentheses. */
  const single = /^(?:async\s+)?[\w$]+\s*=>/.exec(source)
  if (single) return ''
  const start = source.indexOf('(')
  let depth = 0
  for (let index = start; index >= 0 && index < source.length; index++) {
    if (source[index] === '(') depth++
    if (source[index] === ')' && --depth === 0) return source.slice(start, index)
  }
  return null
}
