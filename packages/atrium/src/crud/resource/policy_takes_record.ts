/* `record` is the fourth parameter of a policy. */
const WITH_RECORD = 4

/**
 * True if a policy could use the record: it declares the fourth parameter, or can receive it through a rest parameter,
 * after a parameter with a default value, or through `arguments`. Also true if the parameters cannot be read, as for a
 * bound function: a wrong true costs time, but a wrong false would reveal a record. [P14]
 */
export function policyTakesRecord(policy: (...parameters: any[]) => unknown): boolean {
  if (policy.length >= WITH_RECORD) return true
  const source = Function.prototype.toString.call(policy)
  if (source.includes('[native code]') || /\barguments\b/.test(source)) return true
  const parameters = parametersIn(source)
  return parameters === null || /\.\.\.|=/.test(parameters)
}

/** Returns the source text of the parameters; null if it cannot be found. */
function parametersIn(source: string): string | null {
  /* An arrow function can have a single parameter without parentheses. */
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
