/* `record` is the fourth parameter of a policy. */
const WITH_RECORD = 4

/**
 * True if a policy may use the record: it declares the fourth parameter, or can receive it by a rest
 * parameter, after a parameter with a default, or through `arguments`. A function whose parameters
 * cannot be read, such as a bound one, counts as well: a wrong true costs time, a wrong false would
 * reveal a record. [P14]
 */
export function policyTakesRecord(policy: (...parameters: any[]) => unknown): boolean {
  if (policy.length >= WITH_RECORD) return true
  const source = Function.prototype.toString.call(policy)
  if (source.includes('[native code]') || /\barguments\b/.test(source)) return true
  const parameters = parametersIn(source)
  return parameters === null || /\.\.\.|=/.test(parameters)
}

/** The source text of the parameters; null if it cannot be found. */
function parametersIn(source: string): string | null {
  /* An arrow function may have a single parameter without parentheses. */
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
